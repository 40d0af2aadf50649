# Writes parts of an OCI layout: the folder $out, with $work for what is not finished. For the shell that includes it.

manifest_type=application/vnd.oci.image.manifest.v1+json
index_type=application/vnd.oci.image.index.v1+json

checksum() { sha256sum "$1" | cut -d ' ' -f 1; }

# blob FILE: moves it into the layout, and prints its digest and size
blob() {
  digest=$(checksum "$1") size=$(stat -c %s "$1")
  mv "$1" "$out/blobs/sha256/$digest"
  echo "sha256:$digest $size"
}

# descriptor TYPE DIGEST SIZE [MORE]: prints what refers to a blob
descriptor() { printf '{"mediaType":"%s","digest":"%s","size":%s%s}' "$1" "$2" "$3" "${4:-}"; }

# named TAG: prints the end of a descriptor that has this tag
named() { printf ',"annotations":{"org.opencontainers.image.ref.name":"%s"}' "$1"; }

# attached FILE TYPE TAG: attaches a file to the image with the digest $image and the size $image_size, and prints the
# entries of the layout for it. It is a manifest of its own, whose subject is the image. Registries that support the
# referrers API list it by that. For others the specification has a tag, sha256-<digest of the image>, with an index of
# the attached manifests. So both ways lead to it.
attached() {
  cp "$1" "$work/file"
  printf '{}' >"$work/empty"
  read -r file file_size <<EOF
$(blob "$work/file")
EOF
  read -r empty empty_size <<EOF
$(blob "$work/empty")
EOF
  printf '{"schemaVersion":2,"mediaType":"%s","artifactType":"%s","config":%s,"layers":[%s],"subject":%s}' \
    "$manifest_type" "$2" "$(descriptor application/vnd.oci.empty.v1+json "$empty" "$empty_size")" \
    "$(descriptor "$2" "$file" "$file_size")" "$(descriptor "$index_type" "$image" "$image_size")" >"$work/referrer"
  read -r referrer referrer_size <<EOF
$(blob "$work/referrer")
EOF
  type=",\"artifactType\":\"$2\""
  printf '{"schemaVersion":2,"mediaType":"%s","manifests":[%s]}' "$index_type" \
    "$(descriptor "$manifest_type" "$referrer" "$referrer_size" "$type")" >"$work/referrers"
  read -r referrers referrers_size <<EOF
$(blob "$work/referrers")
EOF
  descriptor "$manifest_type" "$referrer" "$referrer_size" "$type$(named "$3")"
  printf ,
  descriptor "$index_type" "$referrers" "$referrers_size" "$(named "sha256-${image#sha256:}")"
}

# write_layout ENTRIES: makes the folder a layout with these tagged manifests
write_layout() {
  printf '{"schemaVersion":2,"mediaType":"%s","manifests":[%s]}' "$index_type" "$1" >"$out/index.json"
  printf '{"imageLayoutVersion":"1.0.0"}' >"$out/oci-layout"
}
