package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
)

// syncPod does what a kubelet would do next for a pod bound to its node, and says when to look again.
func (s *simulator) syncPod(ctx context.Context, pod *corev1.Pod, node *corev1.Node) (time.Duration, error) {
	switch {
	case pod.DeletionTimestamp != nil:
		return s.terminate(ctx, pod)
	case isOver(pod):
		return 0, nil
	case pod.Status.Phase == corev1.PodRunning:
		return s.finish(ctx, pod)
	default:
		return 0, s.start(ctx, pod, node)
	}
}

func isOver(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

func (s *simulator) start(ctx context.Context, pod *corev1.Pod, node *corev1.Node) error {
	if start, _ := s.books.times(pod.UID); !start.IsZero() {
		return nil // The update that says so has not come back through the watch yet.
	}
	if err := checkAnnotations(pod); err != nil {
		return s.patchStatus(ctx, pod, rejected("InvalidSimulation", err.Error()))
	}
	refusal := s.books.admit(pod, node)
	if refusal != nil {
		// A refusal is for good, and the watch of nodes may lag behind that of pods: the newest node decides.
		newest, err := s.client.CoreV1().Nodes().Get(ctx, node.Name, metav1.GetOptions{})
		if err != nil {
			return ignoreGone(err)
		}
		refusal = s.books.admit(pod, newest)
	}
	if refusal != nil {
		return s.patchStatus(ctx, pod, rejected(refusal.reason, refusal.message))
	}
	if err := s.patchStatus(ctx, pod, running(pod, node)); err != nil {
		return err
	}
	s.books.started(pod.UID, time.Now())
	return nil
}

func (s *simulator) finish(ctx context.Context, pod *corev1.Pod) (time.Duration, error) {
	since, _ := s.books.times(pod.UID)
	failAt, fails, _ := duration(pod, failAfter)
	endAt, ends, _ := duration(pod, runFor)
	now := time.Now()
	switch {
	case fails && now.Sub(since) >= failAt:
		return 0, s.patchStatus(ctx, pod, ended(pod, corev1.PodFailed))
	case ends && now.Sub(since) >= endAt:
		return 0, s.patchStatus(ctx, pod, ended(pod, corev1.PodSucceeded))
	case fails && (!ends || failAt < endAt):
		return failAt - now.Sub(since), nil
	case ends:
		return endAt - now.Sub(since), nil
	default:
		return 0, nil
	}
}

// terminate ends a deleted pod. Like a kubelet since 1.27 it first reports a terminal phase, which the Job
// controller waits for, and then removes the object.
func (s *simulator) terminate(ctx context.Context, pod *corev1.Pod) (time.Duration, error) {
	if pod.DeletionGracePeriodSeconds != nil && *pod.DeletionGracePeriodSeconds == 0 {
		return 0, nil // Ended already; somebody's finalizer keeps the object.
	}
	delay, _, err := duration(pod, terminateAfter)
	if err != nil {
		klog.ErrorS(err, "Pod ends at once", "pod", klog.KObj(pod))
	}
	_, since := s.books.times(pod.UID)
	if since.IsZero() {
		return 0, nil // The store knows it before the watch has said so; once it has, the pod is looked at again.
	}
	if left := delay - time.Since(since); left > 0 {
		return left, nil
	}
	if !isOver(pod) && pod.Status.Phase == corev1.PodRunning {
		if err := s.patchStatus(ctx, pod, ended(pod, corev1.PodFailed)); err != nil {
			return 0, err
		}
	}
	err = s.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: new(int64),
		Preconditions:      &metav1.Preconditions{UID: &pod.UID},
	})
	return 0, ignoreSuperseded(err)
}

func (s *simulator) patchStatus(ctx context.Context, pod *corev1.Pod, status corev1.PodStatus) error {
	patch, err := json.Marshal(map[string]interface{}{
		"metadata": map[string]interface{}{"uid": pod.UID},
		"status":   status,
	})
	if err != nil {
		return err
	}
	_, err = s.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, patch,
		metav1.PatchOptions{}, "status")
	return ignoreSuperseded(err)
}

// ignoreSuperseded drops the errors of writing to a pod that is gone or was replaced by one of the same name.
func ignoreSuperseded(err error) error {
	if apierrors.IsConflict(err) {
		return nil
	}
	return ignoreGone(err)
}

func checkAnnotations(pod *corev1.Pod) error {
	for _, key := range []string{runFor, failAfter, terminateAfter} {
		if _, _, err := duration(pod, key); err != nil {
			return err
		}
	}
	return nil
}

// duration reads one annotation: its value, whether it is there, and what is wrong with it.
func duration(pod *corev1.Pod, key string) (time.Duration, bool, error) {
	text, set := pod.Annotations[key]
	if !set {
		return 0, false, nil
	}
	value, err := time.ParseDuration(text)
	if err != nil || value < 0 {
		return 0, false, fmt.Errorf("annotation %s is %q, which is no duration. Maybe write 5s?", key, text)
	}
	return value, true, nil
}
