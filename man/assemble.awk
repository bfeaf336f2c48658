# SPDX-License-Identifier: Apache-2.0
# A manual page from its source: lines that are @NAME@ become the file NAME.mdoc in the folder parts, which pages share.
/^@[a-z-]+@$/ {
  file = parts "/" substr($0, 2, length($0) - 2) ".mdoc"
  while ((read = (getline line < file)) > 0)
    if (line !~ /^\.\\" SPDX/)
      print line
  close(file)
  if (read < 0) {
    print FILENAME ": cannot read " file >"/dev/stderr"
    exit 1
  }
  next
}
{ print }
