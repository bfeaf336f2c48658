#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The site is made of the documents: every link leads somewhere, nothing comes from the network, and the search knows every
# key of a scene, every command and every option.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

for program in mkdocs mandoc; do
  if ! command -v $program >/dev/null 2>&1; then
    skip "the site" "no $program"
    finish
  fi
done
if ! have_python; then
  skip "the site" "no python3"
  finish
fi
DCSIM_BUILD=$DCSIM_BUILD within 300 "$DCSIM_SOURCE/scripts/site.sh" "$scratch/site" >made 2>made.err
status=$?
[ $status -eq 0 ] || sed 's/^/# /' made.err | head -n 20
check "scripts/site.sh makes the site, without a broken link" [ $status -eq 0 ]

cat >judge.py <<'END'
import glob, json, os, re, subprocess, sys
site, dcsim = sys.argv[1], sys.argv[2]
def say(what, holds): print(f"{'ok' if holds else 'not ok'} {what}")
index = json.loads(open(f"{site}/search/search_index.js", encoding="utf-8").read()[len("var searchIndex = "):].rstrip(";\n"))["docs"]
titles = {entry["title"] for entry in index}
words = set()
for entry in index:
    words |= set(re.findall(r"[a-z_0-9$-]+", (entry["title"] + " " + entry["text"]).lower()))
schema = json.loads(subprocess.run([dcsim, "schema"], check=True, capture_output=True, text=True).stdout)
keys = [key for key in schema["properties"]]
missing = [key for key in keys if key.lower() not in words]
say(f"the search knows the keys of a scene, all {len(keys)} of them {missing or ''}", not missing and len(keys) > 20)
registries = json.loads(subprocess.run([dcsim, "list", "--json"], check=True, capture_output=True, text=True).stdout)
options = {option["name"] for kinds in registries.values() for kind in kinds for option in kind["options"]}
options |= {kind["name"] for kinds in registries.values() for kind in kinds}
missing = sorted(option for option in options if option.lower() not in words)
say(f"and the options, all {len(options)} of them {missing or ''}", not missing and len(options) > 100)
commands = [os.path.basename(path)[:-5].replace("-", " ", 1) for path in glob.glob(f"{site}/commands/dcsim-*.html")]
say(f"and the commands, all {len(commands)} of them", len(commands) > 15 and all(command in titles for command in commands))
say("an option of a scene is found by its path", "contact.stiffness" in titles)
fetched = []
for path in glob.glob(f"{site}/**/*.html", recursive=True):
    text = open(path, encoding="utf-8").read()
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    fetched += [(path, one) for one in re.findall(r'<(?:script|img|iframe)[^>]*src="(https?:[^"]*)"|<link[^>]*href="(https?:[^"]*)"', text)]
say(f"pages fetch nothing from the network {fetched[:3] or ''}", not fetched)
pages = {os.path.basename(path)[:-5]: open(path, encoding="utf-8").read() for path in glob.glob(f"{site}/scene/*.html")}
shown = [key for key in keys if key in pages and "In a scene" not in pages[key]]
say(f"the page of every key shows it in a scene that is shipped or in the cookbook {shown or ''}", not shown and len(pages) > 25)
END
"$interpreter" -I judge.py "$scratch/site" "$dcsim" >judged 2>judged.err
check "the site is judged to the end" [ $? -eq 0 ]
sed 's/^/# /' judged.err
while IFS= read -r line; do
  case $line in
    "ok "*) pass "${line#ok }" ;;
    "not ok "*) fail "${line#not ok }" ;;
  esac
done <judged
finish
