// BK8: before an older journal is raised, a copy of it is made, which is the way back; restore that died half way is finished.
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { margay } from "../cli/harness.ts";
import { killedAtRename, needed } from "./homes.ts";

const PASSPHRASE = "correct horse battery staple";
const FIXTURES = join(import.meta.dirname, "../../../core/test/fixtures/journals");
/** The others were made by real use: `npm run upgrade-drill` takes such a home there and back. */
const OLDER = ["0.1.0-version-1"];

test.each(OLDER)(
  "BK8 R428 the way back from a home of %s: its journals are what they were, by hash, also out of a backup",
  async (release) => {
    const app = margay();
    app.configure({});
    const sessions = join(app.home, "sessions");
    mkdirSync(sessions);
    const names = readdirSync(join(FIXTURES, release)).filter((name) => name.endsWith(".journal"));
    for (const name of names) copyFileSync(join(FIXTURES, release, name), join(sessions, name));
    const hashOf = (folder: string, name: string): string =>
      createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex");
    const before = names.map((name) => hashOf(sessions, name));
    expect(await app.run(["agent", "-m", "hello again", "--session", "test:1"])).toMatchObject({ code: 0 });
    expect(names.map((name) => hashOf(sessions, name))).not.toEqual(before);

    const target = join(app.directory, "target");
    const restored = join(app.directory, "restored");
    const secret = { stdin: `${PASSPHRASE}\n` };
    expect(await app.run(["backup", target], secret)).toMatchObject({ code: 0 });
    expect(await app.run(["restore", target, "--to", restored], secret)).toMatchObject({ code: 0 });
    for (const home of [app.home, restored]) {
      const folder = join(home, "sessions");
      // As docs/install.md says.
      for (const kept of readdirSync(folder).filter((name) => /\.version-\d+$/.test(name)))
        renameSync(join(folder, kept), join(folder, kept.replace(/\.version-\d+$/, ".journal")));
      expect(names.map((name) => hashOf(folder, name))).toEqual(before);
    }
    // And forth again: it is read, raised and kept as at the first time.
    const env = { MARGAY_HOME: restored };
    expect(await app.run(["sessions", "show", "test:1"], { env })).toMatchObject({ code: 0 });
    expect(await app.run(["agent", "-m", "hello once more", "--session", "test:1"], { env })).toMatchObject({
      code: 0,
    });
    expect(readdirSync(join(restored, "sessions")).filter((name) => name.includes(".version-"))).toHaveLength(
      names.length,
    );
  },
);

test(
  "BK5 a restore that died at any rename leaves no home, and the next run makes or finishes it",
  { timeout: 120_000 },
  async () => {
    const app = margay();
    const files = join(app.directory, "files");
    app.configure({ workspace: files });
    mkdirSync(files);
    writeFileSync(join(files, "notes.txt"), "mine\n");
    const passphrase = join(app.directory, "passphrase");
    writeFileSync(passphrase, PASSPHRASE, { mode: 0o600 });
    const target = join(app.directory, "target");
    const words = ["--passphrase-file", passphrase];
    expect(await app.run(["backup", target, ...words])).toMatchObject({ code: 0 });
    const seen: boolean[] = [];
    for (let rename = 1; ; rename++) {
      const [to, elsewhere] = [
        join(app.directory, `to-${String(rename)}`),
        join(app.directory, `there-${String(rename)}`),
      ];
      const restore = ["restore", target, "--to", to, "--workspace", elsewhere, ...words];
      const { code } = await killedAtRename(rename, app.home, restore);
      if (code === 0) break;
      expect(existsSync(to)).toBe(false);
      seen.push(existsSync(elsewhere));
      if (existsSync(elsewhere)) {
        writeFileSync(join(files, "notes.txt"), "newer\n");
        needed(await app.run(["backup", target, ...words]));
        needed(await app.run(restore), 2, elsewhere);
        const { lines } = await app.run(["backup", "list", target, ...words, "--json"]);
        const items = (lines[0]?.["items"] ?? []) as readonly { readonly name: string }[];
        needed(await app.run([...restore, "--snapshot", items.at(-1)?.name ?? ""]));
      } else needed(await app.run(restore));
      expect(readFileSync(join(elsewhere, "notes.txt"), "utf8")).toBe("mine\n");
      expect(readFileSync(join(to, "config.json"), "utf8")).toContain(elsewhere);
      expect(readdirSync(app.directory).filter((name) => name.includes("restoring"))).toEqual([]);
    }
    expect(new Set(seen)).toEqual(new Set([false, true]));
  },
);
