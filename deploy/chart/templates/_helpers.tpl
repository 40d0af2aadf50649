{{/* A file of the manifests, for the namespace and the accelerators of this release. */}}
{{- define "muster.file" -}}
{{- $root := index . 0 -}}
{{- $text := $root.Files.Get (index . 1) | required (printf "The chart lacks %s." (index . 1)) -}}
{{- $text | replace "muster-system" $root.Release.Namespace | replace "['nvidia.com/gpu']" (include "muster.celList" (include "muster.accelerators" $root | fromYamlArray)) | trim -}}
{{- end }}

{{/* A list of strings as CEL writes it. */}}
{{- define "muster.celList" -}}
['{{ join "', '" . }}']
{{- end }}

{{- define "muster.accelerators" -}}
{{- .Values.config.accelerators | default (list "nvidia.com/gpu") | toYaml -}}
{{- end }}

{{- define "muster.schedulerNames" -}}
{{- $own := ternary "muster" "default-scheduler" .Values.secondScheduler.enabled -}}
{{- .Values.config.schedulerNames | default (list $own) | toYaml -}}
{{- end }}

{{- define "muster.configuration" -}}
{{- $names := include "muster.schedulerNames" . | fromYamlArray -}}
{{- toYaml (merge (dict "schedulerNames" $names) .Values.config) -}}
{{- end }}

{{- define "muster.image" -}}
{{- /* deploy/release.sh writes the annotation. A tag that is set means another image. */ -}}
{{- $shipped := index (.Chart.Annotations | default dict) "muster.dev/image-digest" -}}
{{- with .Values.image -}}
{{- $digest := .digest | default (ternary "" $shipped (ne .tag "")) -}}
{{- if $digest -}}
{{ .repository }}@{{ $digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end }}

{{/* Whether a field of config.gating is not false: gate, hideGpus. */}}
{{- define "muster.gating" -}}
{{- $gating := .root.Values.config.gating | default dict -}}
{{- if ne (toString (get $gating .field)) "false" -}}yes{{- end -}}
{{- end }}

{{/* Whether to use a MutatingAdmissionPolicy: Auto, Always or Never. */}}
{{- define "muster.usesPolicy" -}}
{{- $served := .root.Capabilities.APIVersions.Has "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy" -}}
{{- if or (eq .choice "Always") (and (eq .choice "Auto") $served) -}}yes{{- end -}}
{{- end }}

{{/* OpenShift gives each namespace its own user ids, and refuses others. */}}
{{- define "muster.securityContext" -}}
{{- if .root.Capabilities.APIVersions.Has "security.openshift.io/v1" -}}
{{- toYaml (omit .context "runAsUser" "runAsGroup" "fsGroup") -}}
{{- else -}}
{{- toYaml .context -}}
{{- end -}}
{{- end }}
