// Command coscheduling is the kube-scheduler of the pinned release with one more plugin: Coscheduling of scheduler-plugins.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	"sigs.k8s.io/scheduler-plugins/pkg/coscheduling"

	// Registers the arguments of the plugin.
	_ "sigs.k8s.io/scheduler-plugins/apis/config/scheme"
)

func main() {
	followParent(os.Getenv("CONTROL_PLANE_PARENT"))
	// Called as the control plane is: the first argument is the component, and this is the only one.
	os.Args = os.Args[1:]
	os.Exit(cli.Run(scheduler.NewSchedulerCommand(scheduler.WithPlugin(coscheduling.Name, coscheduling.New))))
}
