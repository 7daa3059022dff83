// As root each workspace has a user id of its own: given out once, kept, and with it what one workspace can take from others.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../../src/machine/system/clock.ts";
import { accountNumber, isMadeUp, numbersInUse } from "../../../src/machine/sandbox/account-numbers.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { createPlace, runIn, type Place } from "./support.ts";

const NUMBERS = Array.from({ length: 272 }, (_, n) => 60_706 + n);

async function numberOf(directory: string, workspace: string): Promise<number> {
  const given = await accountNumber(directory, workspace);
  if (typeof given === "string") throw new Error(given);
  return given.uid;
}

test("SC40 no account of ours is one that this machine gives out", () => {
  const read = (path: string): string => (fs.existsSync(path) ? fs.readFileSync(path, "utf8") : "");
  const taken = numbersInUse(read("/etc/passwd"), read("/etc/subuid"));
  expect(NUMBERS.filter(taken)).toEqual([]);
  expect(NUMBERS.every(isMadeUp)).toBe(true);
  expect([60_705, 60_979, 0, 1000, 65_534].filter(isMadeUp)).toEqual([]);
});

test("SC40 a number that somebody did give out is none of ours", () => {
  const taken = numbersInUse("root:x:0:0::/:/bin/sh\nbuild:x:60710:60710::/:/bin/sh\n", "# note\njane:60720:10\n");
  expect(NUMBERS.filter(taken)).toEqual([60_710, ...Array.from({ length: 10 }, (_, n) => 60_720 + n)]);
});

test("SC40 a workspace keeps its number; those within it are named; a list that was torn goes on", async () => {
  await using folder = await temporaryFolder();
  const first = await numberOf(folder.path, "/srv/one");
  const inner = await numberOf(folder.path, "/srv/one/inner");
  expect(inner).not.toBe(first);
  fs.appendFileSync(folder.at("accounts"), '{"uid":60');
  const other = await numberOf(folder.path, "/srv/two");
  expect(await accountNumber(folder.path, "/srv/one")).toEqual({ uid: first, within: new Set([inner]) });
  expect(await numberOf(folder.path, "/srv/two")).toBe(other);
  expect(fs.statSync(folder.at("accounts")).mode & 0o777).toBe(0o600);
});

test("SC40 processes that ask at once never get one number for two workspaces, nor two for one", async () => {
  await using folder = await temporaryFolder();
  const module = new URL("../../../src/machine/sandbox/account-numbers.ts", import.meta.url).href;
  const program = `const { accountNumber } = await import("${module}");
    process.stdout.write("ready"); await new Promise((go) => process.stdin.once("data", go));
    const all = [];
    // Each begins elsewhere, so that they meet over free numbers.
    for (let n = 0; n < 200; n += 1) {
      const one = (n + 37 * Number(process.argv[2])) % 200;
      all[one] = (await accountNumber(process.argv[1], "/srv/" + one)).uid;
    }
    console.log(JSON.stringify(all)); process.exit();`;
  const askers = Array.from({ length: 5 }, (_, n) =>
    spawn(process.execPath, ["--input-type=module", "-e", program, folder.path, String(n)], { stdio: "pipe" }),
  );
  await Promise.all(askers.map(async ({ stdout }) => await once(stdout, "data")));
  const answers = askers.map(async ({ stdin, stdout }) => {
    let said = "";
    stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    stdin.write("go");
    await once(stdout, "end");
    return JSON.parse(said) as readonly number[];
  });
  const [one, ...others] = await Promise.all(answers);
  for (const other of others) expect(other).toEqual(one);
  expect(new Set(one).size).toBe(200);
});

test("SC40 of two lines with one number the first counts, and the workspace of the second asks anew", async () => {
  await using folder = await temporaryFolder();
  const lines = ["/srv/first", "/srv/second"].map((path) => JSON.stringify({ uid: 60_706, path }));
  fs.writeFileSync(folder.at("accounts"), lines.join("\n"));
  const numbers = [await numberOf(folder.path, "/srv/second"), await numberOf(folder.path, "/srv/first")];
  expect(numbers[0]).not.toBe(60_706);
  expect(numbers[1]).toBe(60_706);
});

test("SC40 when all are given out, a workspace that is gone gives its number; when none is, the error says so", async () => {
  await using folder = await temporaryFolder();
  const workspaces = NUMBERS.map((uid) => folder.at("w", String(uid)));
  for (const path of workspaces) fs.mkdirSync(path, { recursive: true });
  const lines = workspaces.map((path, n) => JSON.stringify({ uid: NUMBERS[n], path }));
  fs.writeFileSync(folder.at("accounts"), lines.join("\n"));
  expect(await accountNumber(folder.path, "/srv/new")).toMatch(
    /^all 272 user ids for workspaces and MCP servers are given out\. Next: remove workspaces/,
  );
  const gone = workspaces[7] ?? "";
  fs.rmdirSync(gone);
  const next = folder.at("next");
  fs.mkdirSync(next);
  expect(await numberOf(folder.path, next)).toBe(NUMBERS[7]);
  expect(await accountNumber(folder.path, gone)).toMatch(/^all 272 /);
});

/** Only root has rights to give away. */
if (process.getuid?.() === 0) {
  const idOf = async (place: Place): Promise<number> =>
    Number((await runIn(place.sandbox(), place.request("id -u"))).output);

  test("SC40 commands of two workspaces run as two users, each as its own also after a restart", async () => {
    using one = createPlace();
    const workspace = join(one.root, "second");
    fs.mkdirSync(workspace);
    const second = one.request("id -u", { workspace, directory: workspace });
    const ids = [await idOf(one), Number((await runIn(one.sandbox(), second)).output)];
    expect(ids.every((uid) => NUMBERS.includes(uid))).toBe(true);
    expect(ids[0]).not.toBe(ids[1]);
    expect(await idOf(one)).toBe(ids[0]);
    expect(fs.statSync(workspace).uid).toBe(ids[1]);
    expect(await one.sandbox().account(workspace)).toBe(ids[1]);
    // Another state directory gives the same to the same: it need not hand everything over.
    expect(Number((await runIn(one.sandbox({ state: join(one.root, "other") }), second)).output)).toBe(ids[1]);
  });

  test("SC40 files of the account that all workspaces had are handed over, deep ones too, and no others", async () => {
    using place = createPlace();
    const deep = join(place.workspace, ...Array.from({ length: 20 }, () => "d"));
    fs.mkdirSync(deep, { recursive: true });
    for (const [path, uid] of [
      [join(deep, "old"), 60_978],
      [join(place.workspace, "somebodys"), 1_234],
    ] as const) {
      fs.writeFileSync(path, "old\n", { mode: 0o600 });
      fs.chownSync(path, uid, uid);
    }
    fs.linkSync(join(deep, "old"), join(deep, "same"));
    for (let path = deep; path.startsWith(place.workspace); path = join(path, "..")) fs.chownSync(path, 60_978, 60_978);
    const read = `echo new >> ${deep}/same; cat ${deep}/old; cat somebodys`;
    expect((await runIn(place.sandbox(), place.request(read))).output).toMatch(/^old\nnew\n.*denied/s);
    expect(fs.statSync(join(place.workspace, "somebodys")).uid).toBe(1_234);
  });

  test("SC40 a copy of a workspace becomes that of its own account; a workspace within another keeps its files", async () => {
    using place = createPlace();
    const [inner, copy] = [join(place.workspace, "inner"), join(place.root, "copy")];
    fs.mkdirSync(inner);
    const within = (command: string) => place.request(command, { workspace: inner, directory: inner });
    expect((await runIn(place.sandbox(), within("umask 077; echo mine > note; cat note"))).output).toBe("mine\n");
    const owner = fs.statSync(join(inner, "note")).uid;
    expect((await runIn(place.sandbox(), place.request("cat inner/note; echo outer > file"))).output).toMatch(/denied/);
    expect(fs.statSync(join(inner, "note")).uid).toBe(owner);
    fs.cpSync(place.workspace, copy, { recursive: true });
    for (const name of [".", "file"]) fs.chownSync(join(copy, name), owner, owner);
    const copied = place.request("echo more >> file; cat file", { workspace: copy, directory: copy });
    expect((await runIn(place.sandbox(), copied)).output).toBe("outer\nmore\n");
  });

  test("SC40 a place beside the workspace that had the former account is handed over once, and root's files there are not", async () => {
    using place = createPlace();
    const notes = join(place.root, "notes");
    fs.mkdirSync(notes);
    fs.writeFileSync(join(notes, "roots"), "", { mode: 0o600 });
    fs.writeFileSync(join(notes, "old"), "old\n", { mode: 0o600 });
    for (const path of [notes, join(notes, "old")]) fs.chownSync(path, 60_978, 60_978);
    const request = place.request(`echo new >> ${notes}/old; cat ${notes}/old ${notes}/roots`, { writable: [notes] });
    expect((await runIn(place.sandbox(), request)).output).toMatch(/^old\nnew\n.*roots: Permission denied/s);
    const mine = fs.statSync(notes).uid;
    // What was given to one stays with it: two that share a place would take it from each other at each start.
    const workspace = join(place.root, "second");
    fs.mkdirSync(workspace);
    await runIn(place.sandbox(), { ...request, workspace, directory: workspace });
    expect(fs.statSync(notes).uid).toBe(mine);
  });

  test("SC40 a program that is to see another workspace's files gets the account of that one", async () => {
    using place = createPlace();
    const own = join(place.root, "own");
    fs.mkdirSync(own);
    const uid = await idOf(place);
    const request = place.request("id -u", { workspace: own, directory: own, accountOf: place.workspace });
    expect(Number((await runIn(place.sandbox(), request)).output)).toBe(uid);
    expect(fs.statSync(own).uid).toBe(uid);
  });

  test("SC40 a bomb of processes in one workspace leaves the others alone", { timeout: 60_000 }, async () => {
    using place = createPlace();
    const second = join(place.root, "second");
    fs.mkdirSync(second);
    const sandbox = place.sandbox();
    const bomb = "for (1..600) { my $p = fork; last if !defined $p; if (!$p) { sleep 60; exit } } sleep 60";
    const command = await sandbox.wrap(place.request("", { argv: ["/usr/bin/perl", "-e", bomb] }));
    if (typeof command === "string") throw new Error(command);
    const running = spawn(command.argv[0], command.argv.slice(1), { env: { ...command.environment }, stdio: "ignore" });
    try {
      const uid = fs.statSync(place.workspace).uid;
      while (countOf(uid) < 240) await systemClock().sleep(20, new AbortController().signal);
      const busy = "for i in 1 2 3 4 5 6 7 8 9; do sleep 0.2 & done; wait; echo works";
      const dash = { argv: ["/bin/dash", "-c", busy] } as const;
      // The control: in the same workspace it is felt.
      expect((await runIn(sandbox, place.request("", dash))).output).toMatch(/Cannot fork|unavailable/);
      const elsewhere = place.request("", { ...dash, workspace: second, directory: second });
      expect(await runIn(place.sandbox({ workspace: second }), elsewhere)).toMatchObject({
        output: "works\n",
        code: 0,
      });
    } finally {
      running.kill("SIGKILL");
      await once(running, "close");
      (await sandbox.hold(command.lease, 0))[Symbol.dispose]();
    }
  });
}

/** Processes of a user. */
function countOf(uid: number): number {
  const ids = fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return ids.filter((id) => fs.statSync(`/proc/${id}`, { throwIfNoEntry: false })?.uid === uid).length;
}
