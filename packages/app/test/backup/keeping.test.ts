// A backup over time: old snapshots go, damage is mended, a full disk harms nothing, and a workspace comes back where it is looked for.
import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { callsTool, says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { keptBy } from "../../src/features/backup/prune.ts";
import type { Taken } from "../../src/features/backup/store/snapshot.ts";
import { margay, modelConfig, type Margay } from "../cli/harness.ts";
import { PROGRAM } from "./homes.ts";

const PASSPHRASE = "correct horse battery staple";

type App = Margay & { readonly target: string; readonly secretly: (...argv: string[]) => ReturnType<Margay["run"]> };

function used(config: object = {}): App {
  const app = margay();
  app.configure({ workspace: join(app.directory, "files"), ...config });
  mkdirSync(join(app.directory, "files"));
  writeFileSync(join(app.directory, "files/notes.txt"), "mine\n");
  return {
    ...app,
    target: join(app.directory, "target"),
    secretly: (...argv) => app.run(argv, { stdin: `${PASSPHRASE}\n` }),
  };
}

test("a workspace outside of the home is restored, and the settings name it where it is now", async () => {
  const app = used();
  await app.secretly("backup", app.target);
  const inside = join(app.directory, "one");
  const told = await app.secretly("restore", app.target, "--to", inside);
  expect(told.out).toContain(join(inside, "workspace"));
  expect(readFileSync(join(inside, "workspace/notes.txt"), "utf8")).toBe("mine\n");
  const shown = await app.run(["config", "get", "workspace", "--json"], { env: { MARGAY_HOME: inside } });
  expect(shown.out).toContain('"workspace"');
  expect(shown.out).not.toContain(join(app.directory, "files"));

  const [home, elsewhere] = [join(app.directory, "two"), join(app.directory, "elsewhere")];
  await app.secretly("restore", app.target, "--to", home, "--workspace", elsewhere);
  expect(readFileSync(join(elsewhere, "notes.txt"), "utf8")).toBe("mine\n");
  expect(readFileSync(join(home, "config.json"), "utf8")).toContain(elsewhere);
  expect(readdirSync(home)).not.toContain("workspace");

  const again = await app.secretly(
    "restore",
    app.target,
    "--to",
    join(app.directory, "three"),
    "--workspace",
    elsewhere,
  );
  expect(again.code).toBe(2);
  expect(readdirSync(app.directory)).not.toContain("three");
});

test("prune removes what the rules do not keep and what only that needed; the rest is whole", async () => {
  const app = used();
  for (const round of [1, 2, 3, 4]) {
    writeFileSync(join(app.directory, "files/large.bin"), randomBytes(3_000_000));
    writeFileSync(join(app.directory, `files/${String(round)}.bin`), randomBytes(50_000));
    expect((await app.secretly("backup", app.target)).code).toBe(0);
  }
  const rules = ["--keep-last", "1", "--keep-daily", "0", "--keep-weekly", "0", "--keep-monthly", "0", "--json"];
  const dry = await app.secretly("backup", "prune", app.target, ...rules, "--dry-run");
  expect(dry.lines[0]).toMatchObject({ dryRun: true, kept: 1, removed: [{}, {}, {}] });
  expect((await app.secretly("backup", "list", app.target, "--json")).lines[0]).toMatchObject({
    items: [{}, {}, {}, {}],
  });
  const done = await app.secretly("backup", "prune", app.target, ...rules);
  expect(done.lines[0]?.["freed"]).toBeGreaterThan(8_000_000);
  const size = readdirSync(join(app.target, "packs")).reduce(
    (sum, name) => sum + statSync(join(app.target, "packs", name)).size,
    0,
  );
  expect(size).toBeLessThan(4_000_000);
  expect(await app.secretly("backup", "check", app.target)).toMatchObject({ code: 0 });
  const to = join(app.directory, "restored");
  expect((await app.secretly("restore", app.target, "--to", to)).code).toBe(0);
  for (const name of ["large.bin", "1.bin", "4.bin"])
    expect(readFileSync(join(to, "workspace", name))).toEqual(readFileSync(join(app.directory, "files", name)));
  expect((await app.secretly("backup", app.target, "--json")).lines.at(-1)).toMatchObject({ added: 0 });
});

test("what is kept: the newest, and the newest of each day, week and month", () => {
  const hours = 3_600_000;
  const newest = Date.UTC(2026, 10, 29, 12);
  const taken = Array.from({ length: 400 }, (_, index) => {
    const at = newest - index * 12 * hours;
    return { name: new Date(at).toISOString().slice(0, 13), snapshot: { at } as Taken["snapshot"] };
  });
  expect([...keptBy(taken, { last: 2, daily: 2, weekly: 3, monthly: 2 })]).toEqual([
    "2026-11-29T12",
    "2026-11-29T00",
    "2026-11-28T12",
    "2026-11-22T12",
    "2026-11-15T12",
    "2026-10-31T12",
  ]);
});

test("BK4 a damaged backup is said by the next one, and --repair writes anew what the home still has", async () => {
  const app = used();
  writeFileSync(join(app.directory, "files/large.bin"), randomBytes(2_000_000));
  await app.secretly("backup", app.target);
  const [pack = ""] = readdirSync(join(app.target, "packs"));
  rmSync(join(app.target, "key.copy"));
  const bytes = readFileSync(join(app.target, "packs", pack));
  bytes[1000] = (bytes[1000] ?? 0) ^ 1;
  writeFileSync(join(app.target, "packs", pack), bytes);
  expect((await app.secretly("backup", app.target)).err).toContain("flaw");
  expect(await app.secretly("backup", "check", app.target)).toMatchObject({ code: 1 });
  expect((await app.secretly("backup", "prune", app.target)).code).toBe(0);
  expect((await app.secretly("backup", app.target, "--repair")).code).toBe(0);
  const to = join(app.directory, "restored");
  expect((await app.secretly("restore", app.target, "--to", to)).code).toBe(0);
  expect(readFileSync(join(to, "workspace/large.bin"))).toEqual(readFileSync(join(app.directory, "files/large.bin")));
  expect(readdirSync(join(app.target, "packs"))).not.toContain(pack);
  expect(readdirSync(app.target)).toContain("key.copy");
});

test("a workspace that is larger than it may be: the largest files are kept by name, and that is said", async () => {
  const app = used({ backup: { maxMegabytes: 1, target: "../target", passphrase: PASSPHRASE } });
  writeFileSync(join(app.directory, "files/large.bin"), randomBytes(2_000_000));
  const made = await app.run(["backup"]);
  expect(made).toMatchObject({ code: 0 });
  expect(made.err).toContain("1 file");
  const to = join(app.directory, "restored");
  expect((await app.run(["restore", app.target, "--to", to])).code).toBe(0);
  expect(readdirSync(join(to, "workspace"))).toEqual(["notes.txt"]);
});

test("the passphrase of the settings is taken from the vault", async () => {
  const app = used({ backup: { target: "../target", passphrase: "${vault:BACKUP}" } });
  await app.run(["secrets", "set", "BACKUP"], { stdin: PASSPHRASE });
  expect(await app.run(["backup"])).toMatchObject({ code: 0 });
  expect((await app.secretly("restore", app.target, "--to", join(app.directory, "a"))).code).toBe(0);
  const other = { env: { MARGAY_HOME: join(app.directory, "empty") }, stdin: "another passphrase" };
  expect(await app.run(["restore", app.target, "--to", join(app.directory, "b")], other)).toMatchObject({ code: 1 });
});

/** In a namespace with file systems of its own. */
async function mounted(work: string): Promise<{ readonly code: number | null; readonly err: string }> {
  const folder = mkdtempSync(join(tmpdir(), "margay-mounts-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "passphrase"), PASSPHRASE);
  const script = `
    run() { "$NODE" --conditions=margay-source "$PROGRAM" "$@" --passphrase-file "$PLACE/passphrase"; }
    set -e
    mkdir -p "$PLACE/target" "$PLACE/home/workspace" && echo mine > "$PLACE/home/workspace/notes.txt"
    ${work}`;
  const mapped = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  const child = spawn("unshare", [...mapped, "--mount", "sh", "-c", script], {
    env: { ...process.env, NODE: process.execPath, PROGRAM, PLACE: folder, MARGAY_HOME: join(folder, "home") },
  });
  let err = "";
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString("utf8")));
  return { code: await new Promise<number | null>((resolve) => child.once("close", resolve)), err };
}

test("BK3 a target that is full says so, and what was there before is whole", { timeout: 120_000 }, async () => {
  const { code, err } = await mounted(`
    mount -t tmpfs -o size=4m tmpfs "$PLACE/target"
    run backup "$PLACE/target"
    head -c 9000000 /dev/urandom > "$PLACE/home/workspace/large.bin"
    run backup "$PLACE/target" && exit 3
    run backup check "$PLACE/target"
    rm "$PLACE/home/workspace/large.bin"
    run backup "$PLACE/target"
    run restore "$PLACE/target" --to "$PLACE/restored"
    cmp "$PLACE/restored/workspace/notes.txt" "$PLACE/home/workspace/notes.txt"`);
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(err).toMatch(/full|ENOSPC/);
  expect(err).not.toContain("internal.bug");
});

test("BK5 a home that cannot be put in its place takes its workspace back", { timeout: 120_000 }, async () => {
  const { code, err } = await mounted(`
    run backup "$PLACE/target"
    mkdir "$PLACE/to" "$PLACE/disk" && mount -t tmpfs tmpfs "$PLACE/disk" && mount --bind "$PLACE/to" "$PLACE/to"
    run restore "$PLACE/target" --to "$PLACE/disk" && exit 4
    run restore "$PLACE/target" --to "$PLACE/to" --workspace "$PLACE/files" && exit 3
    [ -z "$(ls -A "$PLACE/to")" ] && [ ! -e "$PLACE/files" ]
    [ -z "$(ls "$PLACE" | grep restoring)" ]
    umount "$PLACE/to"
    run restore "$PLACE/target" --to "$PLACE/to" --workspace "$PLACE/files"
    cmp "$PLACE/files/notes.txt" "$PLACE/home/workspace/notes.txt"
    [ -e "$PLACE/to/config.json" ]`);
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(err).toMatch(/is where a disk is mounted.*\[usage\.wrong\]/);
  expect(err).toMatch(/EBUSY.*\[disk\.failed\]/);
  expect(err).not.toContain("internal.bug");
});

test("BK6 a rehearsal finds what a conversation names and is not there, and removes what a killed one left", async () => {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const app = margay();
  app.configure({ ...modelConfig(model.url), backup: { target: "../target", passphrase: PASSPHRASE } });
  mkdirSync(join(app.home, "workspace"), { recursive: true });
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  writeFileSync(join(app.home, "workspace/a.png"), Buffer.from(pixel, "base64"));
  // A hash among arguments is no blob.
  const look = callsTool("list_dir", { path: ".", sha256: "f".repeat(64) });
  model.replies(look, callsTool("read_file", { path: "a.png" }), says("done"));
  expect((await app.run(["agent", "-m", "look"])).code).toBe(0);
  expect((await app.run(["backup"])).code).toBe(0);
  const left = join(app.home, "backup/drill-0123abcd");
  mkdirSync(left);
  expect(await app.run(["backup", "drill"])).toMatchObject({ code: 0 });
  expect(existsSync(left)).toBe(false);
  rmSync(join(app.home, "blobs"), { recursive: true });
  expect((await app.run(["backup"])).code).toBe(0);
  expect((await app.run(["backup", "drill"])).err).toMatch(/blobs\/[0-9a-f]{12}/);
});
