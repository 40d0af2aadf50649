// Command legacy-scheduler is the stock kube-scheduler of a release that still takes a Policy file (up to 1.22).
package main

import (
	"os"

	"k8s.io/component-base/logs"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	followParent(os.Getenv("CONTROL_PLANE_PARENT"))
	// Called as the control plane is: the first argument is the component, and this is the only one.
	os.Args = os.Args[1:]
	command := scheduler.NewSchedulerCommand()
	logs.InitLogs()
	defer logs.FlushLogs()
	if err := command.Execute(); err != nil {
		os.Exit(1)
	}
}
