// Mounts a file system that keeps no access times over argv[2], as root of its own namespace, and says what is made of it.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { createCommandLabels } from "../../../src/builtin/labels/command-labels.ts";
import { openFileLabels } from "../../../src/builtin/labels/file-labels.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { STRANGE } from "./bench.ts";

const [, , root = ""] = process.argv;
execFileSync("mount", ["-t", "tmpfs", "-o", "noatime", "tmpfs", root], { stdio: "ignore" });
const [workspace, state] = [join(root, "workspace"), join(root, "state")] as const;
for (const directory of [workspace, state]) fs.mkdirSync(directory);
const labels = openFileLabels(state);
const commands = createCommandLabels({ workspace, clock: systemClock(), labels });
const slices = { pause: () => undefined };

async function causes(): Promise<readonly string[]> {
  commands.begin("it", { turn: "t", complete: true, causes: () => [] });
  await commands.arm([], () => undefined, slices);
  const found = await commands.causes([{ key: "it", untrusted: false }], [], slices);
  commands.end("it");
  return found;
}

const nothing = await causes();
labels.writing("p.md", Buffer.from("what a stranger wrote"), STRANGE, "whole");
fs.writeFileSync(join(workspace, "p.md"), "what a stranger wrote");
process.stdout.write(JSON.stringify({ nothing, labelled: await causes() }));
