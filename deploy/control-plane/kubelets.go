package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

// The knobs of a simulated pod and node. Durations are Go durations such as 5s or 2m.
const (
	// terminateAfter is how long a deleted pod takes to end (default: at once).
	terminateAfter = "sim.muster.dev/terminate-after"
	// runFor is how long a pod runs until it succeeds (default: for ever).
	runFor = "sim.muster.dev/run-for"
	// failAfter is how long a pod runs until it fails (default: never).
	failAfter = "sim.muster.dev/fail-after"
	// ready is set to "false" on a node whose kubelet shall be dead: its pods neither start nor end.
	ready = "sim.muster.dev/ready"
)

const podsByNode = "node"

// simulator plays the kubelet of every node it sees.
type simulator struct {
	client kubernetes.Interface
	nodes  cache.SharedIndexInformer
	pods   cache.SharedIndexInformer
	books  *books
	queue  workqueue.TypedRateLimitingInterface[work]
}

// work names one object to look at: a node when pod is empty.
type work struct {
	node string
	pod  types.NamespacedName
}

func newKubeletsCommand() *cobra.Command {
	var kubeconfig, selector string
	var workers int
	command := &cobra.Command{
		Use:          "kubelets",
		Short:        "Plays the kubelet of every node of a test cluster",
		SilenceUsage: true,
		RunE: func(*cobra.Command, []string) error {
			simulated, err := labels.Parse(selector)
			if err != nil {
				return fmt.Errorf("--node-selector %q: %w", selector, err)
			}
			client, err := newClient(kubeconfig)
			if err != nil {
				return fmt.Errorf("--kubeconfig %q: %w", kubeconfig, err)
			}
			return newSimulator(client, simulated).run(server.SetupSignalContext(), workers)
		},
	}
	command.Flags().StringVar(&kubeconfig, "kubeconfig", "", "file that says how to reach the API server")
	command.Flags().StringVar(&selector, "node-selector", "", "label selector of the simulated nodes (empty: all)")
	command.Flags().IntVar(&workers, "workers", 16, "how many objects are written at the same time")
	return command
}

func newClient(kubeconfig string) (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config = rest.AddUserAgent(config, "kubelets")
	config.QPS = -1
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	return kubernetes.NewForConfig(config)
}

func newSimulator(client kubernetes.Interface, simulated labels.Selector) *simulator {
	nodes := informers.NewSharedInformerFactoryWithOptions(client, 0,
		informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector = simulated.String() }))
	pods := informers.NewSharedInformerFactoryWithOptions(client, 0,
		informers.WithTweakListOptions(func(o *metav1.ListOptions) {
			o.FieldSelector = fields.OneTermNotEqualSelector("spec.nodeName", "").String()
		}))
	return &simulator{
		client: client,
		nodes:  nodes.Core().V1().Nodes().Informer(),
		pods:   pods.Core().V1().Pods().Informer(),
		books:  newBooks(),
		queue: workqueue.NewTypedRateLimitingQueue(
			workqueue.NewTypedItemExponentialFailureRateLimiter[work](20*time.Millisecond, 2*time.Second)),
	}
}

func (s *simulator) run(ctx context.Context, workers int) error {
	if err := s.watch(); err != nil {
		return err
	}
	go s.nodes.Run(ctx.Done())
	// Nodes first: a pod whose node is not known is left alone until the node appears.
	if cache.WaitForCacheSync(ctx.Done(), s.nodes.HasSynced) {
		go s.pods.Run(ctx.Done())
	}
	if !cache.WaitForCacheSync(ctx.Done(), s.pods.HasSynced) {
		return fmt.Errorf("stopped before the API server listed its nodes and pods")
	}
	klog.InfoS("Kubelets are running", "nodes", len(s.nodes.GetStore().ListKeys()))
	for i := 0; i < workers; i++ {
		go wait.UntilWithContext(ctx, s.drain, time.Second)
	}
	<-ctx.Done()
	s.queue.ShutDown()
	return nil
}

func (s *simulator) watch() error {
	err := s.pods.AddIndexers(cache.Indexers{podsByNode: func(object interface{}) ([]string, error) {
		return []string{object.(*corev1.Pod).Spec.NodeName}, nil
	}})
	if err != nil {
		return err
	}
	_, err = s.pods.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object interface{}) { s.podSeen(object.(*corev1.Pod)) },
		UpdateFunc: func(_, object interface{}) { s.podSeen(object.(*corev1.Pod)) },
		DeleteFunc: func(object interface{}) { s.podGone(object) },
	})
	if err != nil {
		return err
	}
	_, err = s.nodes.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object interface{}) { s.nodeSeen(nil, object.(*corev1.Node)) },
		UpdateFunc: func(old, object interface{}) { s.nodeSeen(old.(*corev1.Node), object.(*corev1.Node)) },
	})
	return err
}

func (s *simulator) podSeen(pod *corev1.Pod) {
	// Kept here, not by the workers: the watch delivers the end of one pod before the start of its successor.
	s.books.see(pod, time.Now())
	s.queue.Add(work{pod: types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}})
}

func (s *simulator) podGone(object interface{}) {
	if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = last.Obj
	}
	if pod, ok := object.(*corev1.Pod); ok {
		s.books.forget(pod.UID)
	}
}

func (s *simulator) nodeSeen(old, node *corev1.Node) {
	s.queue.Add(work{node: node.Name})
	if old != nil && isAlive(old) == isAlive(node) {
		return
	}
	pods, err := s.pods.GetIndexer().ByIndex(podsByNode, node.Name)
	if err != nil {
		klog.ErrorS(err, "Pods of the node are not found", "node", node.Name)
	}
	for _, pod := range pods {
		s.podSeen(pod.(*corev1.Pod))
	}
}

func (s *simulator) drain(ctx context.Context) {
	for {
		item, shutdown := s.queue.Get()
		if shutdown {
			return
		}
		again, err := s.handle(ctx, item)
		switch {
		case err != nil:
			klog.ErrorS(err, "Will try again", "node", item.node, "pod", item.pod)
			s.queue.AddRateLimited(item)
		case again > 0:
			s.queue.Forget(item)
			s.queue.AddAfter(item, again)
		default:
			s.queue.Forget(item)
		}
		s.queue.Done(item)
	}
}

// handle does what is due for one object and says after how long it wants to look again (0: not by itself).
func (s *simulator) handle(ctx context.Context, item work) (time.Duration, error) {
	if item.node != "" {
		return 0, s.syncNode(ctx, item.node)
	}
	object, exists, err := s.pods.GetIndexer().GetByKey(item.pod.String())
	if err != nil || !exists {
		return 0, err
	}
	pod := object.(*corev1.Pod)
	node, exists, err := s.nodes.GetIndexer().GetByKey(pod.Spec.NodeName)
	if err != nil || !exists || !isAlive(node.(*corev1.Node)) {
		return 0, err
	}
	return s.syncPod(ctx, pod, node.(*corev1.Node))
}
