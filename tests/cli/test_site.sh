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

# tell FILE: the points that a program has written
tell() {
  while IFS= read -r line; do
    case $line in
      "ok "*) pass "${line#ok }" ;;
      "not ok "*) fail "${line#not ok }" ;;
    esac
  done <"$1"
}

# A message as the program prints it, with names and numbers, is found first.
cat >scene.json <<'END'
{"name": "s", "time": {"step": 0.01, "steps": 4}, "shapes": {"s": {"type": "sphere", "radius": 0.1}}, "bodies": [{"name": "a", "shape": "s", "mass": 1}],
"objective": [{"type": "reach", "body": "a", "target": [0.1, 0, 0.2]}]}
END
said() { # COMMAND...: the message of a command that fails
  "$dcsim" "$@" 2>&1 >/dev/null | sed -n 1p
}
{
  said optimize there-is-none.json
  said check scene.json --set time.stepz=4
  said check scene.json --set 'bodies.0.mass="heavy"'
  said check scene.json --set time.step=-1
  said completion fish
  said export nothing
  said optimize scene.json --resume
  said report there-is-none
  said check scene.json --set 'objective.0.body="nobody"'
  said check scene.json --set 'objective.0.tolerance=-3'
} >messages.txt
check "commands that fail say something" [ "$(grep -c . messages.txt)" -eq 10 ]
if command -v node >/dev/null 2>&1; then
  cat >search.cjs <<'END'
const fs = require("fs"), find = require(process.argv[2]);
const index = JSON.parse(fs.readFileSync(process.argv[3], "utf8").replace("var searchIndex = ", "").replace(/;\n*$/, "")).docs;
for (const line of fs.readFileSync("messages.txt", "utf8").split("\n").filter(Boolean)) {
  const found = find(index, line), good = found.length && found[0].location.startsWith("messages.html#");
  console.log(`${good ? "ok" : "not ok"} the search finds "${line}": ${found.slice(0, 3).map(page => page.title).join(" | ")}`);
}
for (const [query, place] of [["contact.stiffness", "scene/contact.html"], ["dcsim optimize", "commands/dcsim-optimize.html"], ["contact.restitution", "scene/contact.html"]]) {
  const found = find(index, query)[0];
  console.log(`${found && found.location.startsWith(place) ? "ok" : "not ok"} the search finds ${query} first at ${place} (${found && found.location})`);
}
END
  cp "$DCSIM_SOURCE/scripts/site/search.js" search_function.cjs
  node search.cjs ./search_function.cjs "$scratch/site/search/search_index.js" >found 2>found.err
  check "the search runs" [ $? -eq 0 ]
  sed 's/^/# /' found.err
  tell found
else
  skip "the search" "no node"
fi

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
tell judged
finish
