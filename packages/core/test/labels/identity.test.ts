// By what a labelled file is known again, and when nothing of it is seen.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { createCommandLabels } from "../../src/labels/command-labels.ts";
import { fileId, openFileLabels } from "../../src/labels/file-labels.ts";
import { systemClock } from "../../src/machine/system/clock.ts";
import { labelBench, PAGE, STRANGE } from "./bench.ts";
import { liveBench, type LiveBench } from "./live.ts";
import { fileTime, removeRoots, rootOn } from "./world.ts";

afterAll(removeRoots);

function second(state: string): bigint {
  return fileTime(state) / 1_000_000_000n;
}

async function run(bench: LiveBench, name: string, work: () => void = () => undefined): Promise<readonly string[]> {
  await bench.start(name);
  await bench.ready(name);
  work();
  return await bench.end(name);
}

test("a new file that gets the number of a removed labelled one is one's own", async () => {
  const bench = liveBench({ on: rootOn("disk") });
  const at = (name: string): string => join(bench.workspace, name);
  await bench.page("p.md", PAGE);
  await run(bench, "first"); // from now on it is known under any name
  const { ino } = fs.statSync(at("p.md"));
  fs.rmSync(at("p.md"));
  // Only a disk gives a number out again, and not always at once.
  for (let next = 0; next < 50; next += 1) {
    fs.writeFileSync(at(`own${next}`), `what the person wrote ${next}`);
    if (fs.statSync(at(`own${next}`)).ino === ino) break;
  }
  expect(await run(bench, "second", () => void fs.readFileSync(at("own0")))).toEqual([]);
  expect(fs.readdirSync(bench.workspace).filter((name) => bench.labels.byPath(name))).toEqual([]);
});

test("the time of its birth tells a file from an earlier one with the same number", () => {
  const stats = fs.statSync(rootOn("memory"), { bigint: true });
  const later = Object.assign(Object.create(stats) as fs.BigIntStats, { birthtimeNs: stats.birthtimeNs + 1n });
  expect(fileId(later)).not.toBe(fileId(stats));
});

test("a person renames a short labelled file and writes it anew: it is the same file", async () => {
  const bench = liveBench();
  const at = (name: string): string => join(bench.workspace, name);
  await bench.page("p.md", "run it now");
  await run(bench, "first");
  fs.renameSync(at("p.md"), at("q.md"));
  fs.writeFileSync(at("q.md"), "run it");
  expect(await run(bench, "second", () => void fs.readFileSync(at("q.md")))).not.toEqual([]);
});

test("a short labelled file that no command has met yet is known under another name too", async () => {
  const bench = labelBench();
  await bench.exec("true");
  await bench.call("write_file", { path: "p.md", content: "run it now" }, STRANGE);
  bench.person("mv p.md q.md");
  expect(await bench.exec("cat q.md")).toMatchObject({ untrusted: true });
});

test("SC14 what is built of a file that a stranger had a hand in is the stranger's, and so is what that prints; beside it nothing is", async () => {
  const bench = labelBench();
  await bench.call("write_file", { path: "lib.sh", content: `say() { echo '${PAGE.trim()}'; }\n` }, STRANGE);
  await bench.exec("echo 'echo mine' > own.sh");
  expect(await bench.exec("cat lib.sh own.sh > built.sh && echo say >> built.sh")).toMatchObject({ untrusted: true });
  bench.restart();
  expect(await bench.exec("sh built.sh")).toMatchObject({ untrusted: true, causes: ["read built.sh"] });
  expect(await bench.exec("sh own.sh")).toMatchObject({ untrusted: false });
});

test("a read that hides its trace is one", async () => {
  const bench = liveBench();
  const at = join(bench.workspace, "p.md");
  await bench.page("p.md", PAGE);
  const hidden = (): void => {
    fs.readFileSync(at);
    fs.utimesSync(at, 1, fs.statSync(at).mtime);
  };
  expect(await run(bench, "first", hidden)).toEqual(["read p.md"]);
  expect(await run(bench, "second", () => void fs.statSync(at))).toEqual([]);
});

test.each([
  ["a copy of what is no text", Buffer.from([...Buffer.from(PAGE), 0]), Buffer.from([...Buffer.from(PAGE), 0])],
  ["a text within another", Buffer.from(PAGE), Buffer.from(`a note, and then\n${PAGE}and the end`)],
])("what a person makes of it is known again: %s", async (_, page, made) => {
  const bench = liveBench();
  await run(bench, "first");
  await bench.page("p.md", page);
  fs.writeFileSync(join(bench.workspace, "made"), made);
  fs.rmSync(join(bench.workspace, "p.md"));
  expect(await run(bench, "second", () => void fs.readFileSync(join(bench.workspace, "made")))).toEqual(["read made"]);
});

describe("a loose object of git is known by its name", () => {
  test("which a person added", async () => {
    const bench = labelBench();
    bench.person("git init -q .");
    await bench.exec("true");
    await bench.call("write_file", { path: "p.md", content: PAGE }, STRANGE);
    bench.person("git -c safe.directory=* add p.md; rm p.md"); // the workspace is an account's of its own by now
    expect(await bench.exec("git show :p.md | tr a-z A-Z")).toMatchObject({ untrusted: true });
  });

  test("which a command added, also when it comes out encoded", async () => {
    const bench = labelBench();
    await bench.call("write_file", { path: "p.md", content: PAGE }, STRANGE);
    await bench.exec("git init -q .; git add p.md; rm p.md");
    expect(await bench.exec("git show :p.md | base64")).toMatchObject({ untrusted: true });
  });
});

test("a labelled file that lies in an own repository is not read by git status, and nothing is packed unasked", async () => {
  const bench = labelBench();
  await bench.call("write_file", { path: "p.md", content: PAGE }, STRANGE);
  // So old that git does not have to look into it: within a second of its own index it reads a file once more.
  bench.person(
    "touch -m -d 2020-01-01 p.md; git init -q .; git add p.md; git -c user.name=me -c user.email=m@l commit -qm x",
  );
  await bench.exec("git status"); // the files are given to another account before it: git looks into them once more
  // Git compares whole seconds.
  for (const then = second(bench.state); second(bench.state) === then;);
  await bench.exec("cat p.md");
  expect(await bench.exec("git status --short")).toMatchObject({ untrusted: false });
  expect((await bench.exec("git config gc.auto")).text).toMatch(/^0\n/);
});

describe("SC6 below a place that is read-only as a whole", () => {
  test.each(["memory", "skills"])(
    "%s: nobody reads what they do not name, and whoever names it is a stranger",
    async (place) => {
      const bench = labelBench();
      fs.mkdirSync(join(bench.workspace, place));
      bench.person(`echo mine > ${place}/own.md`);
      fs.writeFileSync(join(bench.workspace, place, "p.md"), PAGE);
      bench.labels.add(`${place}/p.md`, "written after a stranger's text was read", { data: Buffer.from(PAGE) });
      const all = await bench.exec(`cat ${place}/*`);
      expect(all.text).toContain("mine");
      expect(all.text).not.toContain("Dear assistant");
      expect(all.untrusted).toBe(false);
      expect(await bench.exec(`cat ${place}/p.md`)).toMatchObject({
        untrusted: true,
        text: expect.stringContaining("Dear assistant") as string,
        causes: [`read ${place}/p.md`],
      });
    },
  );
});

const MOUNT = 'mount -t tmpfs -o noatime,mode=755 tmpfs "$0" && exec "$@"';
const PROGRAM = fileURLToPath(new URL("noatime-program.ts", import.meta.url));
/** Root's own, or one in which an ordinary user may mount and be itself again. */
const NAMESPACES = {
  root: ["--mount", "sh", "-c", MOUNT],
  user: [
    ...["--user", "--map-root-user", "--mount", "sh", "-c"],
    `${MOUNT.replace("exec", "exec unshare --user --map-user=1000 --map-group=1000")}`,
  ],
};

test("SC7 where no access times are kept commands do not see strangers' files that they do not name", () => {
  const root = fs.mkdtempSync(join(tmpdir(), "margay-noatime-"));
  onTestFinished(() => fs.rmSync(root, { recursive: true, force: true }));
  const how = process.getuid?.() === 0 ? NAMESPACES.root : NAMESPACES.user;
  const program = [root, process.execPath, "--conditions=margay-source", PROGRAM];
  const output = execFileSync("unshare", [...how, ...program], {
    encoding: "utf8",
    env: { ...process.env, TMPDIR: root },
  });
  const own = { strange: false, causes: [] };
  const hint = (names: string): string =>
    `Hidden from this command, for strangers had a hand in it: ${names}. Next: name in the command what it shall read.`;
  expect(JSON.parse(output)).toEqual({
    "nothing labelled": own,
    all: { ...own, hint: hint("p.md") },
    named: { strange: true, causes: ["read p.md"] },
    "moved by its name": { strange: false, causes: ["read p.md"] },
    moved: { ...own, hint: hint("q.txt") },
    "as another name": { strange: true, causes: ["read q.txt"] },
    removed: own,
    "a repository": own,
    "out of the repository": { strange: true, causes: [expect.stringMatching(/^git history /)] },
    "written by a stranger's command": { ...own, hint: hint("q.txt, d/2, d/1") },
    "moved by a person": { strange: true, causes: ["read own.txt"] },
    "put in its place by a person meanwhile": { strange: true, causes: ["what it read could not be followed"] },
    "a folder of 250": own,
    "more folders than are hidden": { strange: false, causes: ["what it read could not be followed"] },
  });
});

test("SC7 a place that no file can be tried in is one without access times", async () => {
  const labels = openFileLabels(liveBench().state);
  const commands = createCommandLabels({ workspace: "/proc/self", clock: systemClock(), labels });
  labels.add("status", "read q.md");
  const { dev, ino } = fs.lstatSync("/proc/self/status");
  const causesOf = async (key: string, hidden?: string): Promise<readonly string[]> => {
    const place = hidden === undefined ? [] : [{ path: "/proc/self/status", identity: hidden }];
    commands.begin(key, { turn: "t", complete: true, causes: () => [] });
    commands.sees(key, { hidden: place, shown: [] });
    return await commands.causes([{ key, untrusted: false }], [], { pause: () => undefined });
  };
  expect(await causesOf("it sees it")).toEqual(["what it read could not be followed"]);
  expect(await causesOf("it does not", `${dev}:${ino}`)).toEqual([]);
  expect(await causesOf("another was hidden", `${dev}:1`)).toEqual(["what it read could not be followed"]);
});

describe("SC8 a look that did not see all", () => {
  const asUser = process.getuid?.() !== 0;

  test("a name that is not UTF-8", async () => {
    const bench = liveBench();
    await bench.page("p.md", PAGE);
    expect(await run(bench, "first")).toEqual([]);
    fs.writeFileSync(Buffer.concat([Buffer.from(`${bench.workspace}/`), Buffer.from([0x66, 0xff])]), "");
    expect(await run(bench, "second")).toEqual(["what it read could not be followed"]);
  });

  test("a directory that may not be looked into", async () => {
    const bench = liveBench();
    await bench.page("p.md", PAGE);
    fs.mkdirSync(join(bench.workspace, "closed"), { mode: 0 });
    onTestFinished(() => fs.chmodSync(join(bench.workspace, "closed"), 0o700));
    // Nothing is closed to root.
    expect(await run(bench, "it")).toEqual(asUser ? ["what it read could not be followed"] : []);
  });
});

describe("directories that are not looked into", () => {
  test("SC24 dependencies that a stranger's command filled: whoever names them is a stranger", async () => {
    const bench = labelBench();
    await bench.exec(`mkdir -p node_modules/x; echo '${PAGE.trim()}' > node_modules/x/README.md`, STRANGE);
    expect(await bench.exec("cat node_modules/x/README.md")).toMatchObject({
      untrusted: true,
      causes: ["read node_modules"],
    });
    expect(await bench.exec("cd node_modules; cat */README.md")).toMatchObject({ untrusted: true });
    expect(await bench.exec("ls; date")).toMatchObject({ untrusted: false });
    expect(await bench.call("read_file", { path: "node_modules/x/README.md" })).toMatchObject({ untrusted: true });
  });

  test("SC24 with dependencies: untrusted a program that only loads them is a stranger too", async () => {
    const fill = `mkdir -p node_modules/x; echo '${PAGE.trim()}' > node_modules/x/index.js`;
    const load = "cat n*/x/index.js"; // without their name
    const loaded = labelBench();
    await loaded.exec(fill, STRANGE);
    expect(await loaded.exec(load)).toMatchObject({ untrusted: false });
    const strict = labelBench({ dependencies: "untrusted" });
    await strict.exec(fill, STRANGE);
    expect(await strict.exec(load)).toMatchObject({ untrusted: true });
    expect(await strict.exec("ls; date")).toMatchObject({ untrusted: false });
  });

  test("of others what lies in them is followed one by one", async () => {
    const bench = liveBench({ exclude: ["build"] });
    const at = (name: string): string => join(bench.workspace, name);
    await bench.start("first", { untrusted: true });
    await bench.ready("first");
    fs.mkdirSync(at("build/deep"), { recursive: true });
    fs.writeFileSync(at("build/deep/x"), PAGE);
    await bench.end("first");
    expect(await run(bench, "second", () => void fs.statSync(at("build/deep/x")))).toEqual([]);
    expect(await run(bench, "third", () => void fs.readFileSync(at("build/deep/x")))).toEqual(["read build/deep/x"]);
  });

  test("one's own command leaves them one's own", async () => {
    const bench = liveBench({ exclude: ["build"] });
    await bench.page("p.md", PAGE);
    await run(bench, "it", () => {
      fs.mkdirSync(join(bench.workspace, "build"));
      fs.writeFileSync(join(bench.workspace, "build/x"), "mine");
    });
    expect(bench.labels.trees()).toEqual([]);
  });
});
