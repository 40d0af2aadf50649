package main

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

var notReadyTaint = corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule}

func isAlive(node *corev1.Node) bool {
	return node.Annotations[ready] != "false"
}

// syncNode keeps the Ready condition of a node, and the NoSchedule taint that follows it: the work of the
// kubelet and of the node lifecycle controller, which the test clusters do not run.
func (s *simulator) syncNode(ctx context.Context, name string) error {
	object, exists, err := s.nodes.GetIndexer().GetByKey(name)
	if err != nil || !exists {
		return err
	}
	node, err := s.syncCondition(ctx, object.(*corev1.Node))
	if err != nil {
		return ignoreGone(err)
	}
	return ignoreGone(s.syncTaint(ctx, node))
}

// syncCondition returns the node as it is afterwards.
func (s *simulator) syncCondition(ctx context.Context, node *corev1.Node) (*corev1.Node, error) {
	want := nodeCondition(isAlive(node))
	for _, condition := range node.Status.Conditions {
		if condition.Type == want.Type && condition.Status == want.Status {
			return node, nil
		}
	}
	patch, err := json.Marshal(map[string]interface{}{
		"status": map[string]interface{}{"conditions": []corev1.NodeCondition{want}},
	})
	if err != nil {
		return nil, err
	}
	return s.client.CoreV1().Nodes().Patch(ctx, node.Name, types.StrategicMergePatchType, patch,
		metav1.PatchOptions{}, "status")
}

func nodeCondition(alive bool) corev1.NodeCondition {
	now := metav1.Now()
	condition := corev1.NodeCondition{
		Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady",
		Message: "simulated kubelet is ready", LastHeartbeatTime: now, LastTransitionTime: now,
	}
	if !alive {
		condition.Status, condition.Reason = corev1.ConditionFalse, "KubeletNotReady"
		condition.Message = "annotation " + ready + " is false"
	}
	return condition
}

// syncTaint replaces the taint list only when it was not changed meanwhile (the resource version is part
// of the patch); a conflict is tried again.
func (s *simulator) syncTaint(ctx context.Context, node *corev1.Node) error {
	taints := []corev1.Taint{}
	tainted := false
	for _, taint := range node.Spec.Taints {
		if taint.MatchTaint(&notReadyTaint) {
			tainted = true
		} else {
			taints = append(taints, taint)
		}
	}
	if tainted != isAlive(node) {
		return nil
	}
	if !isAlive(node) {
		taints = append(taints, notReadyTaint)
	}
	patch, err := json.Marshal(map[string]interface{}{
		"metadata": map[string]interface{}{"resourceVersion": node.ResourceVersion},
		"spec":     map[string]interface{}{"taints": taints},
	})
	if err != nil {
		return err
	}
	_, err = s.client.CoreV1().Nodes().Patch(ctx, node.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	if apierrors.IsConflict(err) {
		return nil // The newer node is on its way through the watch and is looked at again.
	}
	return err
}

func ignoreGone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
