// Ways in which a stranger's text might become one's own, and a working day beside a saved page.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { labelBench, PAGE, STRANGE, type LabelBench, type Result } from "./bench.ts";

const GIT = "git -c user.name=me -c user.email=me@localhost";

/**
 * A history: `S` saves the page as p.md in an untrusted context; then `$` is a command, `P` the person on the host, `R` a
 * file that is read. `|` is another session, in another process. The last step must be untrusted.
 */
type History = readonly string[];

async function play(bench: LabelBench, history: History): Promise<Result> {
  let last: Result = { text: "", untrusted: false, causes: [], labelled: 0 };
  for (const step of history) {
    const rest = step.slice(2).replaceAll("GIT", GIT);
    if (step === "S") last = await bench.call("write_file", { path: "p.md", content: PAGE }, STRANGE);
    else if (step.startsWith("S ")) last = await bench.call("write_file", { path: rest, content: PAGE }, STRANGE);
    else if (step === "|") bench.restart();
    else if (step.startsWith("$ ")) last = await bench.exec(rest);
    else if (step.startsWith("P ")) bench.person(rest);
    else if (step.startsWith("R ")) last = await bench.call("read_file", { path: rest });
    else throw new Error(step);
  }
  return last;
}

const REWRITING: readonly History[] = [
  ["S", "$ mkdir docs; mv p.md docs/; cat docs/p.md"],
  ["S", "$ mkdir d; mv p.md d/q.md", "|", "$ cat d/q.md"],
  ["S", "$ mkdir d; mv p.md d/q.md", "|", "R d/q.md"],
  ["S in/p.md", "$ mv in out", "|", "$ cat out/p.md"],
  ["S", "$ tr a-z A-Z < p.md > s.md", "|", "R s.md"],
  ["S", "$ tr a-z A-Z < p.md > s.md; rm p.md", "|", "$ cat s.md"],
  ["S", "$ echo mine > notes.txt; sed s/a/b/ p.md >> notes.txt; rm p.md", "|", "$ cat notes.txt"],
  ["S", "$ base64 p.md > f; rm p.md", "|", "$ base64 -d f"],
  ["S", "$ gzip p.md", "|", "$ zcat p.md.gz"],
  ["S", "$ tar cf a.tar p.md; rm p.md", "|", "$ tar xf a.tar; rm a.tar", "|", "$ cat p.md"],
  ["S", "$ ln p.md q.md; rm p.md", "|", "$ cat q.md"],
  ["S", "$ ln -s p.md q.md", "|", "$ cat q.md"],
  ["S", "$ cp p.md p.sh; echo 'touch -a -d @1 p.sh' >> p.sh", "|", "$ sh p.sh"],
  [
    "S",
    "$ python3 -c \"import mmap;f=open('p.md','rb');m=mmap.mmap(f.fileno(),0,prot=mmap.PROT_READ);open('u','w').write(m[:].decode().upper())\"; rm p.md",
    "|",
    "$ cat u",
  ],
  ["S", "$ cp -p p.md c; rm p.md; echo >> c", "|", "$ cat c"],
  ["S", "$ rev p.md > r", "|", "$ tac r > t", "|", "$ cat t > u", "|", "$ rev u > v", "|", "$ cat v"],
];

const REPOSITORY: readonly History[] = [
  ["S", "$ git init -q r; mv p.md r/q.md; cd r; git add -A; GIT commit -qm x; cat q.md"],
  ["S", "$ git init -q .; git add p.md; GIT commit -qm x; rm p.md", "|", "$ git show HEAD:p.md"],
  [
    "S",
    "$ git init -q .; git add p.md; GIT commit -qm x; git rm -q p.md; GIT commit -qm y",
    "|",
    "$ git checkout -q HEAD~1 -- p.md; mv p.md z.md",
    "R z.md",
  ],
  ["S", "$ git init -q .; git add p.md; GIT commit -qm x; rm p.md", "|", "$ git gc -q", "|", "$ git show HEAD:p.md"],
  [
    "S",
    "$ git init -q .; git add p.md; GIT commit -qm x; rm p.md",
    "|",
    "$ git gc -q",
    "|",
    "$ git show HEAD:p.md | tr a-z A-Z > f",
    "R f",
  ],
  ["S", "$ git init -q .; git add p.md; GIT commit -qm x; git rm -q p.md; GIT commit -qm y", "|", "$ git log -p"],
  [
    "$ git init -q .; echo mine > own.md; git add own.md; GIT commit -qm x",
    "S own.md",
    "$ GIT stash -q",
    "|",
    "$ git stash show -p",
  ],
  ["S", "$ git init -q .; echo a > a; git add a; GIT commit -qF p.md; rm p.md", "|", "$ git log"],
];

const PERSON: readonly History[] = [
  ["$ true", "S", "P mv p.md r.md", "$ cat r*"],
  ["$ true", "S", "P mv p.md r.md", "R r.md"],
  ["$ true", "S", "P (echo note; cat p.md) > r.md; rm p.md", "$ cat r.md"],
  ["$ true", "S", "P cp p.md r.md; rm p.md", "$ cat r.md"],
];

describe("SC2 SC3 SC4 whoever reads a stranger's text is a stranger's, and so is what it leaves", () => {
  test.each([...REWRITING, ...REPOSITORY, ...PERSON].map((history) => [history.join(" ; ")] as const))(
    "%s",
    async (name) => {
      const result = await play(
        labelBench(),
        name.split(" ; ").map((step) => step),
      );
      expect(result).toMatchObject({ untrusted: true });
    },
  );
});

const DAY: readonly string[] = [
  "date",
  "ls",
  "ls -la proj",
  "node --test proj 2>&1 | head -1; true",
  "cd proj && git status",
  "cd proj && sed -i s/one/two/ a.txt && git diff",
  "cd proj && git add -A && GIT commit -qm y && git log",
  "cd proj && git checkout -qb other",
  "cd proj && git stash list",
  "grep -rn word proj",
  'find . -name "*.md"',
  "wc -l proj/a.txt",
  "rm -rf build",
  "mkdir -p fresh && cd fresh && git init -q . && ls -a",
  "cp proj/a.txt b.txt && cat b.txt",
  "tar cf x.tar proj",
  "du -sh .",
  "cat proj/README.md",
  "python3 -c 'print(1)' > one.txt && cat one.txt",
  "cd proj && git gc -q && git log",
  "env",
  "sort proj/a.txt | uniq -c",
  "mv proj/sub proj/sub2",
  "echo 'echo hi' > s.sh && sh s.sh",
  "cd proj && git mv a.txt c.txt && GIT commit -qm z && git show --stat",
  "df",
  "stat p.md",
];

test("SC5 beside a saved page a day's commands stay one's own, and those that read it do not", async () => {
  const bench = labelBench();
  bench.person(
    "mkdir -p proj/sub && cd proj && git init -q . && echo one word > a.txt && echo mine > README.md && echo s > sub/s && git add -A && git -c user.name=me -c user.email=m@l commit -qm x",
  );
  await bench.exec("true");
  await bench.call("write_file", { path: "p.md", content: PAGE }, STRANGE);
  const tainted: string[] = [];
  for (const command of DAY) {
    const { untrusted, causes } = await bench.exec(command.replaceAll("GIT", GIT));
    if (untrusted) tainted.push(`${command}: ${causes.join(", ")}`);
  }
  expect(tainted).toEqual([]);
  for (const command of ["cat p.md", "grep -rn word .", "head -1 *.md"])
    expect(await bench.exec(command)).toMatchObject({ untrusted: true, causes: ["read p.md"] });
});

test("SC5 R39 of commands that run at once beside a saved page none is a stranger's, also after one that read it; when one of them reads it, all are", async () => {
  const bench = labelBench();
  await bench.call("write_file", { path: "page.txt", content: PAGE }, STRANGE);
  const atOnce = async (first: string): Promise<readonly unknown[]> =>
    (await bench.together(first, "echo two", () => {})).map(({ untrusted, causes }) => [untrusted, causes]);
  const own = [false, []];
  const read = [true, ["read page.txt"]];
  expect(await atOnce("sleep 0.3; echo one")).toEqual([own, own]);
  expect((await bench.exec("cat page.txt")).untrusted).toBe(true);
  expect(await atOnce("sleep 0.3; echo one")).toEqual([own, own]);
  await bench.exec("cat page.txt");
  bench.restart();
  expect(await atOnce("sleep 0.3; echo one")).toEqual([own, own]);
  expect(await atOnce("sleep 0.3; cat page.txt")).toEqual([read, own]);
  // One that begins meanwhile forgets nothing of it.
  const reading = bench.exec("cat page.txt; touch was-read; sleep 1");
  await expect.poll(() => existsSync(join(bench.workspace, "was-read"))).toBe(true);
  expect([await bench.exec("echo two"), await reading].map((one) => one.untrusted)).toEqual([true, true]);
});
