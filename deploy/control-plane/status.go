package main

import (
	"fmt"
	"hash/fnv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// address returns the pod's IP of 10.0.0.0/8: always the same for one pod, so that a status patch may be tried again
// (the API server merges lists of addresses), and almost always another for another pod.
func address(pod *corev1.Pod) string {
	hash := fnv.New32a()
	hash.Write([]byte(pod.UID))
	n := hash.Sum32()
	return fmt.Sprintf("10.%d.%d.%d", byte(n>>16), byte(n>>8), byte(n))
}

func running(pod *corev1.Pod, node *corev1.Node) corev1.PodStatus {
	now := metav1.Now()
	ip := address(pod)
	return corev1.PodStatus{
		Phase:             corev1.PodRunning,
		StartTime:         &now,
		HostIP:            hostAddress(node),
		PodIP:             ip,
		PodIPs:            []corev1.PodIP{{IP: ip}},
		Conditions:        conditions(now, corev1.ConditionTrue, ""),
		ContainerStatuses: containers(pod, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}),
	}
}

// ended is the status of a pod whose containers exited: with code 0 when it succeeded, else 1.
func ended(pod *corev1.Pod, phase corev1.PodPhase) corev1.PodStatus {
	now := metav1.Now()
	exit := corev1.ContainerStateTerminated{Reason: "Completed", FinishedAt: now}
	reason := "PodCompleted"
	if phase == corev1.PodFailed {
		exit.ExitCode, exit.Reason, reason = 1, "Error", "PodFailed"
	}
	if pod.Status.StartTime != nil {
		exit.StartedAt = *pod.Status.StartTime
	}
	return corev1.PodStatus{
		Phase:             phase,
		Conditions:        conditions(now, corev1.ConditionFalse, reason),
		ContainerStatuses: containers(pod, corev1.ContainerState{Terminated: &exit}),
	}
}

// rejected is the status of a pod that the kubelet refused to start.
func rejected(reason, message string) corev1.PodStatus {
	now := metav1.Now()
	return corev1.PodStatus{
		Phase:     corev1.PodFailed,
		StartTime: &now,
		Reason:    reason,
		Message:   "Pod was rejected: " + message,
	}
}

func conditions(now metav1.Time, status corev1.ConditionStatus, reason string) []corev1.PodCondition {
	all := []corev1.PodCondition{}
	if status == corev1.ConditionTrue {
		all = append(all, corev1.PodCondition{Type: corev1.PodInitialized, Status: status, LastTransitionTime: now})
	}
	for _, kind := range []corev1.PodConditionType{corev1.ContainersReady, corev1.PodReady} {
		all = append(all, corev1.PodCondition{Type: kind, Status: status, Reason: reason, LastTransitionTime: now})
	}
	return all
}

func containers(pod *corev1.Pod, state corev1.ContainerState) []corev1.ContainerStatus {
	up := state.Running != nil
	all := make([]corev1.ContainerStatus, 0, len(pod.Spec.Containers))
	for _, container := range pod.Spec.Containers {
		all = append(all, corev1.ContainerStatus{
			Name: container.Name, Image: container.Image, ImageID: container.Image,
			ContainerID: "sim://" + string(pod.UID) + "/" + container.Name,
			State:       state, Ready: up, Started: &up,
		})
	}
	return all
}

func hostAddress(node *corev1.Node) string {
	for _, address := range node.Status.Addresses {
		if address.Type == corev1.NodeInternalIP {
			return address.Address
		}
	}
	return "127.0.0.1"
}
