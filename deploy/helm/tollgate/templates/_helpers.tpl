{{- define "tollgate.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "tollgate.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains (include "tollgate.name" .) .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "tollgate.name" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "tollgate.selectorLabels" -}}
app.kubernetes.io/name: {{ include "tollgate.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: gateway
{{- end -}}

{{- define "tollgate.commonLabels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "tollgate.labels" -}}
{{ include "tollgate.selectorLabels" . }}
{{ include "tollgate.commonLabels" . }}
{{- end -}}

{{/* Of the pods of hook jobs, which neither a Service nor a disruption budget may count. */}}
{{- define "tollgate.jobLabels" -}}
app.kubernetes.io/name: {{ include "tollgate.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: job
{{ include "tollgate.commonLabels" . }}
{{- end -}}

{{- define "tollgate.image" -}}
{{- $repository := required "image.repository is empty: set it to the registry and name you pushed the image to, such as registry.example.com/tollgate." .Values.image.repository -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" $repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "tollgate.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "tollgate.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* Of the migration. Helm creates the chart's own account only after the migration of a first installation. */}}
{{- define "tollgate.migrationServiceAccountName" -}}
{{- if .Values.migration.serviceAccountName -}}
{{- .Values.migration.serviceAccountName -}}
{{- else if .Values.serviceAccount.create -}}
{{- printf "%s-migrate" (include "tollgate.serviceAccountName" .) -}}
{{- else -}}
{{- include "tollgate.serviceAccountName" . -}}
{{- end -}}
{{- end -}}

{{/* A variable from a Secret: root, the name of the entry in `secrets`, and the variable. Nothing when the entry is not used. */}}
{{- define "tollgate.secretVariable" -}}
{{- $entry := index .root.Values.secrets .entry -}}
{{- if $entry.key -}}
- name: {{ .variable }}
  valueFrom:
    secretKeyRef:
      name: {{ required (printf "no Secret for %s: set existingSecret, or secrets.%s.name." .variable .entry) (default .root.Values.existingSecret $entry.name) }}
      key: {{ $entry.key }}
{{- else if .needed }}
{{- fail (printf "secrets.%s.key is empty: the gateway does not start without %s." .entry .variable) }}
{{- end }}
{{- end -}}

{{/* The database as a command that changes its tables reaches it: never through a pooler, and as their owner if there is one. */}}
{{- define "tollgate.migrationVariables" -}}
{{- $entry := "databaseUrl" -}}
{{- if .Values.secrets.databaseDirectUrl.key }}{{ $entry = "databaseDirectUrl" }}{{ end -}}
{{- if .Values.secrets.migrationUrl.key }}{{ $entry = "migrationUrl" }}{{ end -}}
{{- include "tollgate.secretVariable" (dict "root" . "entry" $entry "variable" "DATABASE_URL" "needed" true) -}}
{{- end -}}

{{- define "tollgate.settings" -}}
{{- $settings := deepCopy .Values.settings -}}
{{- if not $settings.public_url -}}
{{- $host := "" -}}
{{- if and .Values.ingress.enabled .Values.ingress.hosts -}}
{{- $host = first .Values.ingress.hosts -}}
{{- $_ := set $settings "public_url" (printf "%s://%s" (ternary "https" "http" (not (empty .Values.ingress.tls))) $host) -}}
{{- else if and .Values.httpRoute.enabled .Values.httpRoute.hostnames -}}
{{- $_ := set $settings "public_url" (printf "https://%s" (first .Values.httpRoute.hostnames)) -}}
{{- end -}}
{{- end -}}
{{- toYaml $settings -}}
{{- end -}}

{{/* Seconds the kubelet waits: the whole drain, and 30 s for the last settlements. */}}
{{- define "tollgate.gracePeriodSeconds" -}}
{{- $drain := .Values.settings.drain -}}
{{- $needed := add $drain.delay_ms .Values.settings.limits.stream_deadline_ms -}}
{{- if lt (int64 $drain.deadline_ms) (int64 $needed) -}}
{{- fail (printf "settings.drain.deadline_ms is %d: raise it to %d, which is drain.delay_ms and limits.stream_deadline_ms together. Otherwise the last streams of a stopping pod are cut." (int64 $drain.deadline_ms) (int64 $needed)) -}}
{{- end -}}
{{- add (div (add $drain.deadline_ms 999) 1000) 30 -}}
{{- end -}}

{{- define "tollgate.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "tollgate.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}
