#!/bin/sh
# Makes the certificates of Muster's HTTPS port (webhook and extender) and of its callers, with a CA of its own, stores
# them in the cluster and tells the API server to trust the CA. Run it again to renew; then also renew the files of
# kube-scheduler and the API server (docs/install.md, step 5).
#
#   deploy/webhook-cert.sh                         makes the Secrets, fills in caBundle, restarts Muster where it runs
#   deploy/webhook-cert.sh --out DIR               only writes ca.crt, tls.crt, tls.key, client.crt, client.key to DIR
#   --san IP:10.96.13.7,DNS:muster.example.com     further names; those of the Service are in, and but for --out its clusterIP
#   --days 3650                                    how long it is valid (default 10 years)
#   --namespace muster-system                      where Muster is (the default)
#
# The CA's key is deleted at once: nothing else can ever be signed with it. Needs openssl, and kubectl unless --out.
set -eu

namespace=muster-system service=muster secret=muster-webhook-tls client=muster-client-tls webhook=muster
out='' days=3650 sans=''

fail() {
  echo "webhook-cert.sh: $*" >&2
  exit 2
}

while [ $# -gt 0 ]; do
  case "$1" in
  --out | --san | --days | --namespace) [ $# -ge 2 ] || fail "$1 needs a value." ;;
  esac
  case "$1" in
  --out) out=$2 && shift 2 ;;
  --san) sans=$2 && shift 2 ;;
  --days) days=$2 && shift 2 ;;
  --namespace) namespace=$2 && shift 2 ;;
  -h | --help) sed -n '2,13s/^# \{0,1\}//p' "$0" && exit 0 ;;
  *) fail "unknown option $1. Maybe you meant --out DIR, --san NAMES, --days N or --namespace NAME." ;;
  esac
done
command -v openssl >/dev/null || fail "openssl is not installed."
[ -n "$out" ] || command -v kubectl >/dev/null || fail "kubectl is not installed. Maybe you want --out DIR."

umask 077
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

names="DNS:$service.$namespace.svc,DNS:$service.$namespace.svc.cluster.local,DNS:$service.$namespace,DNS:localhost,IP:127.0.0.1"
if [ -z "$out" ]; then
  address=$(kubectl -n "$namespace" get service "$service" -o 'jsonpath={.spec.clusterIP}' 2>/dev/null || :)
  case "$address" in '' | None) ;; *) names="$names,IP:$address" ;; esac
fi
[ -z "$sans" ] || names="$names,$sans"

# signed NAME PURPOSE SUBJECT [EXTENSION]: makes NAME.key and NAME.crt
signed() {
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$3" \
    -keyout "$work/$1.key" -out "$work/$1.csr"
  cat >"$work/extensions" <<EOF
basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=$2
${4:-}
EOF
  openssl x509 -req -in "$work/$1.csr" -CA "$work/ca.crt" -CAkey "$work/ca.key" -CAcreateserial -days "$days" \
    -extfile "$work/extensions" -out "$work/$1.crt"
}

make_certificates() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days "$days" -subj '/CN=Muster CA' \
    -addext 'basicConstraints=critical,CA:TRUE,pathlen:0' -addext 'keyUsage=critical,keyCertSign,cRLSign' \
    -keyout "$work/ca.key" -out "$work/ca.crt"
  signed tls serverAuth "$service.$namespace.svc" "subjectAltName=$names"
  signed client clientAuth muster-client
}
make_certificates 2>"$work/log" || { cat "$work/log" >&2 && fail "openssl refused; see above. Names asked for: $names"; }
rm -f "$work/ca.key"

if [ -n "$out" ]; then
  mkdir -p "$out"
  cp "$work/ca.crt" "$work/tls.crt" "$work/tls.key" "$work/client.crt" "$work/client.key" "$out/"
  exit 0
fi

kubectl get namespace "$namespace" >/dev/null ||
  fail "the namespace $namespace cannot be read; kubectl says why above. Maybe 'kubectl apply -k deploy/manifests' has not run yet."
# store SECRET NAME: stores NAME.crt and NAME.key with the CA
store() {
  kubectl -n "$namespace" create secret generic "$1" --type=kubernetes.io/tls --dry-run=client -o yaml \
    --from-file=tls.crt="$work/$2.crt" --from-file=tls.key="$work/$2.key" --from-file=ca.crt="$work/ca.crt" |
    kubectl apply --server-side --force-conflicts --field-manager=muster-webhook-cert -f -
}
store "$secret" tls
store "$client" client

# The entries are counted, for you may have deleted one.
ca=$(base64 <"$work/ca.crt" | tr -d '\n')
[ -n "$ca" ] || fail "the certificate of the CA is lost; nothing was patched."
entries=$(kubectl get mutatingwebhookconfiguration "$webhook" -o 'jsonpath={.webhooks[*].name}' 2>/dev/null || :)
patch='' index=0
for _ in $entries; do
  patch="$patch${patch:+,}{\"op\":\"add\",\"path\":\"/webhooks/$index/clientConfig/caBundle\",\"value\":\"$ca\"}"
  index=$((index + 1))
done
if [ -n "$patch" ]; then
  kubectl patch mutatingwebhookconfiguration "$webhook" --type=json --patch "[$patch]"
else
  echo "webhook-cert.sh: there is no MutatingWebhookConfiguration $webhook; run this again when you apply it." >&2
fi
if kubectl -n "$namespace" get deployment muster >/dev/null 2>&1; then
  kubectl -n "$namespace" rollout restart deployment muster
fi
