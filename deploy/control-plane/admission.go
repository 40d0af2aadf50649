package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
)

// books holds what each simulated kubelet knows about its pods, beyond what the API tells to the second.
type books struct {
	mutex sync.Mutex
	byPod map[types.UID]*entry
	nodes map[string]map[types.UID]*entry
}

// entry is one pod; its requests count against the node once it is admitted and until it is over.
type entry struct {
	node     string
	requests corev1.ResourceList
	start    time.Time
	deletion time.Time
}

// refusal says why a kubelet does not take a pod.
type refusal struct {
	reason, message string
}

func newBooks() *books {
	return &books{byPod: map[types.UID]*entry{}, nodes: map[string]map[types.UID]*entry{}}
}

// see notes what the watch delivered: a running pod that somebody else admitted (an earlier life of this
// process), a pod that is over, a deletion.
func (b *books) see(pod *corev1.Pod, now time.Time) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	e := b.entryOf(pod)
	if pod.DeletionTimestamp != nil && e.deletion.IsZero() {
		e.deletion = now
	}
	switch {
	case isOver(pod):
		delete(b.nodes[pod.Spec.NodeName], pod.UID)
	case pod.Status.Phase == corev1.PodRunning && e.start.IsZero():
		e.start = now
		if pod.Status.StartTime != nil {
			e.start = pod.Status.StartTime.Time
		}
		b.hold(pod.UID, e)
	}
}

func (b *books) forget(uid types.UID) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if e := b.byPod[uid]; e != nil {
		delete(b.nodes[e.node], uid)
		delete(b.byPod, uid)
	}
}

// admit takes the pod into the node's books, or says which resource has no room for it.
func (b *books) admit(pod *corev1.Pod, node *corev1.Node) *refusal {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	e := b.byPod[pod.UID]
	if e == nil {
		return nil // Deleted meanwhile: the write that follows finds nothing, and nothing may stay in the books.
	}
	for name, quantity := range e.requests {
		used := b.used(node.Name, pod.UID, name)
		room := node.Status.Allocatable[name]
		room.Sub(used)
		if quantity.Sign() > 0 && quantity.Cmp(room) > 0 {
			return refuse(name, quantity, room)
		}
	}
	b.hold(pod.UID, e)
	return nil
}

func refuse(name corev1.ResourceName, requested, available resource.Quantity) *refusal {
	if isExtended(name) {
		return &refusal{"UnexpectedAdmissionError", fmt.Sprintf("Allocate failed due to requested number of devices "+
			"unavailable for %s. Requested: %s, Available: %s, which is unexpected", name, requested.String(), available.String())}
	}
	return &refusal{"OutOf" + string(name), fmt.Sprintf(
		"Node didn't have enough resource: %s, requested: %s, available: %s", name, requested.String(), available.String())}
}

func isExtended(name corev1.ResourceName) bool {
	return strings.Contains(string(name), "/")
}

func (b *books) used(node string, except types.UID, name corev1.ResourceName) resource.Quantity {
	var sum resource.Quantity
	for uid, e := range b.nodes[node] {
		if uid != except {
			sum.Add(e.requests[name])
		}
	}
	return sum
}

func (b *books) started(uid types.UID, now time.Time) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if e := b.byPod[uid]; e != nil {
		e.start = now
	}
}

// times returns when the pod started and when its deletion was seen; zero where that is not known.
func (b *books) times(uid types.UID) (start, deletion time.Time) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if e := b.byPod[uid]; e != nil {
		return e.start, e.deletion
	}
	return time.Time{}, time.Time{}
}

// entryOf and hold expect the mutex to be held. Only what the watch delivers makes entries.
func (b *books) entryOf(pod *corev1.Pod) *entry {
	e := b.byPod[pod.UID]
	if e == nil {
		e = &entry{node: pod.Spec.NodeName, requests: requestsOf(pod)}
		b.byPod[pod.UID] = e
	}
	return e
}

func (b *books) hold(uid types.UID, e *entry) {
	if b.nodes[e.node] == nil {
		b.nodes[e.node] = map[types.UID]*entry{}
	}
	b.nodes[e.node][uid] = e
}

// requestsOf is the sum of the containers, or the largest init container where that is more, plus overhead
// and the pod's own slot. An init container that restarts for ever (a sidecar) counts like a container.
func requestsOf(pod *corev1.Pod) corev1.ResourceList {
	sidecars, initial, total := corev1.ResourceList{}, corev1.ResourceList{}, corev1.ResourceList{}
	for _, container := range pod.Spec.InitContainers {
		need := corev1.ResourceList{}
		add(need, sidecars)
		add(need, container.Resources.Requests)
		atLeast(initial, need)
		if container.RestartPolicy != nil && *container.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			add(sidecars, container.Resources.Requests)
		}
	}
	add(total, sidecars)
	for _, container := range pod.Spec.Containers {
		add(total, container.Resources.Requests)
	}
	atLeast(total, initial)
	add(total, pod.Spec.Overhead)
	total[corev1.ResourcePods] = *resource.NewQuantity(1, resource.DecimalSI)
	return total
}

func add(sum, more corev1.ResourceList) {
	for name, quantity := range more {
		value := sum[name]
		value.Add(quantity)
		sum[name] = value
	}
}

func atLeast(most, other corev1.ResourceList) {
	for name, quantity := range other {
		if value := most[name]; quantity.Cmp(value) > 0 {
			most[name] = quantity.DeepCopy()
		}
	}
}
