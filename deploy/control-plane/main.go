// Command control-plane is a whole Kubernetes control plane in one binary, for tests on loopback:
// etcd, the three stock components, and a node simulator. Feature gates and flags are process-wide
// in the stock components, so every subcommand is meant to run as its own process.
package main

import (
	"fmt"
	"os"
	_ "time/tzdata"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/component-base/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

const usage = "usage: control-plane etcd|kube-apiserver|kube-scheduler|kube-controller-manager|kubelets|version [flags]"

func main() {
	if len(os.Args) < 2 {
		fail(usage)
	}
	followParent(os.Getenv("CONTROL_PLANE_PARENT"))
	component := os.Args[1]
	// The stock commands read os.Args themselves; they must see their own name first.
	os.Args = os.Args[1:]
	switch component {
	case "etcd":
		etcdmain.Main(os.Args)
	case "kube-apiserver":
		run(apiserver.NewAPIServerCommand())
	case "kube-scheduler":
		run(scheduler.NewSchedulerCommand())
	case "kube-controller-manager":
		run(controllers.NewControllerManagerCommand())
	case "kubelets":
		run(newKubeletsCommand())
	case "version":
		fmt.Println(version.Get().GitVersion)
	default:
		fail(fmt.Sprintf("unknown component %q; %s", component, usage))
	}
}

func run(command *cobra.Command) {
	os.Exit(cli.Run(command))
}
