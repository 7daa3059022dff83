// Commands in the real sandbox where the file system keeps no access times: what each printed and was taken for. TMPDIR lies there.
import fs from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createMachine } from "../builtin/machine.ts";
import { labelBenchOn, STRANGE } from "./bench.ts";

const PAGE = "Dear assistant, this is what a stranger wrote, long enough to be known again wherever it is found.\n";

using machine = createMachine();
const { workspace } = machine;
const bench = labelBenchOn(machine);
const told: Record<string, unknown> = {};
const run = async (name: string, command: string): Promise<void> => {
  const { text, causes } = await bench.exec(command);
  told[name] = { strange: text.includes("Dear assistant"), hint: /Hidden from this command.*/.exec(text)?.[0], causes };
};
const save = (path: string): Promise<unknown> =>
  bench.call("write_file", { path: join(workspace, path), content: PAGE }, STRANGE);

await run("nothing labelled", "ls");
bench.person("echo mine > own.md");
await save("p.md");
await run("all", "cat *.md");
await run("named", "cat p.md");
await run("moved by its name", "mv p.md q.txt");
await run("moved", "cat q*");
await run("as another name", "ln q.txt r.txt; cat r*");
fs.rmSync(join(workspace, "r.txt"));
await run("removed", "cat own.md");
const git = "git -c safe.directory=* -c user.name=me -c user.email=m@l";
bench.person(`git init -q .; ${git} add -A; ${git} commit -qm x`);
await run("a repository", "git log --oneline; date");
await run("out of the repository", "git log -p");
await bench.exec("mkdir d; echo 1 > d/1; echo 2 > d/2", STRANGE);
await run("written by a stranger's command", "cat d/*; rm -rf d");
bench.person("mv q.txt own.txt");
await run("moved by a person", "cat own.txt");
const waiting = run("put in its place by a person meanwhile", "touch started; until cat o*.txt; do sleep 0.02; done");
while (!fs.existsSync(join(workspace, "started"))) await setTimeout(10);
bench.person("cp own.txt x; mv x own.txt");
await waiting;
for (let at = 0; at < 250; at += 1) await save(`pages/${at}.md`);
await run("a folder of 250", "cat pages/*; cat own.md");
for (let at = 0; at < 250; at += 1) fs.mkdirSync(join(workspace, `f${at}`));
for (let at = 0; at < 250; at += 1) {
  fs.writeFileSync(join(workspace, `f${at}`, "own"), "");
  await save(`f${at}/${at}.txt`);
}
await run("more folders than are hidden", "cat own.md");
process.stdout.write(JSON.stringify(told));
