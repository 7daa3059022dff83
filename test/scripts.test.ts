// The scripts as a person or a machine sees them: what they print last, and how they end.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "..");

/** A folder of programs to put before the real ones. */
function programs(scripts: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "programs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): { code: number | null; lines: readonly string[]; err: string } {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  return { code: status, lines: stdout.trimEnd().split("\n"), err: stderr };
}

const TESTED = "echo '12 passed, 0 failed'";
const CHECKED = "echo 'checks: 5 passed, 0 failed'";
const GUARDED = "echo 'guards: 3 passed, 0 failed'";

test.for([
  ["all is well", TESTED, CHECKED, GUARDED, 0, "20 passed, 0 failed"],
  ["a test failed", "echo '11 passed, 1 failed'; exit 1", CHECKED, GUARDED, 1, "19 passed, 1 failed"],
  ["a check failed", TESTED, "echo 'checks: 4 passed, 1 failed'; exit 1", GUARDED, 1, "19 passed, 1 failed"],
  ["a guard is not missed", TESTED, CHECKED, "echo 'guards: 2 passed, 1 failed'; exit 1", 1, "19 passed, 1 failed"],
  ["a failure does not end its runner", "echo '11 passed, 1 failed'", CHECKED, GUARDED, 1, "19 passed, 1 failed"],
  ["a test was skipped", "echo '12 passed, 0 failed, 1 skipped'; exit 1", CHECKED, GUARDED, 1, "20 passed, 1 failed"],
  ["the build broke", "exit 1", CHECKED, GUARDED, 1, "8 passed, 1 failed"],
  ["no runner got far", "exit 1", "exit 1", "exit 1", 1, "0 passed, 3 failed"],
  ["a runner says nothing and calls it success", "exit 0", "exit 0", "exit 0", 1, "0 passed, 3 failed"],
] as const)(".ci/run adds up what the runners say: %s", ([, tests, checks, guards, code, last]) => {
  const npm = programs({
    npm: `case "$*" in test) ${tests} ;; "run check") ${checks} ;; "run ablation -- --proven") ${guards} ;; esac`,
  });
  const result = run(join(root, ".ci/run"), [], { PATH: `${npm}:${process.env["PATH"] ?? ""}` });
  expect({ code: result.code, last: result.lines.at(-1) }).toEqual({ code, last });
});

test("npm test names the command to run when a program is missing and it may not install it", () => {
  const onlyNode = programs({ node: `exec ${process.execPath} "$@"`, "apt-get": "exit 1" });
  const asNobody = "process.getuid = () => 1000; await import(process.argv[1]);";
  const result = run(process.execPath, ["--input-type=module", "-e", asNobody, join(root, "scripts/test.mjs")], {
    PATH: onlyNode,
  });
  expect(result.code).toBe(1);
  expect(result.err).toMatch(/^bash is missing: /);
  expect(result.err).toMatch(/^openssl is missing: /m);
  expect(result.err).toMatch(
    /Run: sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends bash .*openssl.*'/,
  );
});

test("npm run rows refuses sections the contract does not have", () => {
  expect(run(process.execPath, ["scripts/rows.mjs", "--sections", "99"])).toMatchObject({
    code: 2,
    err: "--sections 99 names no section of the contract. Write numbers from 1 to 24, such as 1-6,8.\n",
  });
});

test("npm run rows looks at every section, counts a row as tested when a test names it, and does not miss what later issues bring", () => {
  const { later } = JSON.parse(readFileSync(join(root, "docs/rows.json"), "utf8")) as {
    readonly later: Readonly<Record<string, string>>;
  }; // ours
  const { lines } = run(process.execPath, ["scripts/rows.mjs"]);
  expect(lines.find((line) => line.startsWith("7. "))).toMatch(/^7\. Memory and consolidation: \d+ of \d+$/);
  const missing = lines
    .filter((line) => line.includes("without a test"))
    .join(" ")
    .split(" ");
  expect(missing.filter((row) => row in later)).toEqual([]);
  expect(missing).not.toContain("R307"); // docs.test.ts names it
}, 300_000); // every file of tests is loaded for it

test("a broken environment is not taken for a test that misses its guard", () => {
  const args = ["scripts/ablation.mjs", "network: certificates are checked"]; // its test needs openssl
  expect(run(process.execPath, args, { PATH: "/nonexistent" })).toMatchObject({
    code: 1,
    lines: [
      "NOT MISSED  network: certificates are checked",
      expect.stringMatching(/^ {8}fails with every guard on: R113 /),
      "guards: 0 passed, 1 failed",
    ],
  });
});

test("every guard of the ablation is where it says, once, has a test noted that misses it, and they are as many as docs/security.md counts", async () => {
  const { GUARDS } = (await import(pathToFileURL(join(root, "scripts/lib/guards/index.mjs")).href)) as {
    readonly GUARDS: readonly Readonly<Record<"id" | "file" | "find", string> & { tests: readonly string[] }>[];
  };
  const found = GUARDS.map(({ id, file, find }) => [id, readFileSync(join(root, file), "utf8").split(find).length - 1]);
  expect(found.filter(([, times]) => times !== 1)).toEqual([]);
  expect(readFileSync(join(root, "docs/security.md"), "utf8")).toContain(`each of ${GUARDS.length} guards`);
  expect(readFileSync(join(root, "docs/security.zh-CN.md"), "utf8")).toContain(` ${GUARDS.length} `);
  // One without costs CI all of its tests: npm run ablation -- --write --new
  const noted = JSON.parse(readFileSync(join(root, "scripts/lib/guards/missed-by.json"), "utf8")) as Record<
    string,
    string[]
  >;
  expect(GUARDS.filter(({ id, tests }) => !tests.includes(noted[id]?.[0] ?? "")).map(({ id }) => id)).toEqual([]);
});

test("R282 a secret that npm test planted is found in what a test removes, leaves and prints, in every form", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "margay-planted-run-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const inner = join(folder, "tmp");
  mkdirSync(inner);
  writeFileSync(
    join(folder, "vitest.config.mjs"),
    `export default { test: { globals: true, include: ["*.case.mjs"], setupFiles: [${JSON.stringify(join(root, "scripts/lib/planted-setup.mjs"))}] } };`,
  );
  writeFileSync(
    join(folder, "leak.case.mjs"),
    `import fs from "node:fs";
    import { rm } from "node:fs/promises";
    import { rmSync } from "node:fs";
    const secret = process.env.SECRET;
    const place = (name, text) => { const at = process.env.TMPDIR + "/" + name; fs.mkdirSync(at + "/deep", { recursive: true }); fs.writeFileSync(at + "/deep/file", text); return at; };
    test("removes", async () => {
      rmSync(place("a", "x" + secret), { recursive: true });
      await rm(place("b", Buffer.from("12" + secret).toString("base64")), { recursive: true });
      fs.rmSync(place("c", Buffer.from("1" + secret).toString("hex")), { recursive: true });
      fs.rmSync(place("d", "nothing"), { recursive: true });
      place("e", encodeURIComponent("&" + secret));
    });`,
  );
  const program = `
    import { readFileSync } from "node:fs";
    import { spawnSync } from "node:child_process";
    import { listener, plant, searchBelow } from ${JSON.stringify(join(root, "scripts/lib/planted.mjs"))};
    const { mark, environment } = plant();
    const [folder, vitest, log] = process.argv.slice(1);
    const env = { ...process.env, SECRET: environment.WALLET_SEED, TMPDIR: folder + "/tmp", MARGAY_PLANTED_MARK: mark, MARGAY_PLANTED_FOLDER: folder + "/tmp", MARGAY_PLANTED_LOG: log };
    const { status, stdout, stderr } = spawnSync(process.execPath, [vitest, "run", "--root", folder], { env, encoding: "utf8" });
    if (status !== 0) throw new Error(stdout + stderr);
    const hits = readFileSync(log, "utf8").trim().split("\\n").flatMap((line) => JSON.parse(line).hits);
    const said = listener(mark);
    said.hear(Buffer.from("a " + environment.SMTP_PASSWORD.slice(0, 20)));
    said.hear(Buffer.from(environment.SMTP_PASSWORD.slice(20)));
    console.log(JSON.stringify({
      removed: hits.map(({ path, form, test }) => [path.slice(folder.length), form, test]),
      left: searchBelow(folder + "/tmp", mark).hits.map(({ form }) => form),
      printed: [...said.found].length,
    }));`;
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const { code, lines, err } = run(process.execPath, [
    "--input-type=module",
    "-e",
    program,
    folder,
    vitest,
    join(folder, "log"),
  ]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    removed: [
      ["/tmp/a/deep/file", "raw", "removes"],
      ["/tmp/b/deep/file", "base64 +2", "removes"],
      ["/tmp/c/deep/file", "hex", "removes"],
    ],
    left: ["raw"],
    printed: 1,
  });
});

test("npm test tries what failed once more, names what passes then, and lets nothing else pass", () => {
  const attempts = (tests: Readonly<Record<string, string>>, unhandled = false): unknown => {
    const folder = mkdtempSync(join(tmpdir(), "attempts-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    for (const [name, body] of Object.entries(tests))
      writeFileSync(
        join(folder, `${name}.test.ts`),
        `import { existsSync, writeFileSync } from "node:fs";
         import { expect, test } from ${JSON.stringify(pathToFileURL(join(root, "node_modules/vitest/dist/index.js")).href)};
         const seen = import.meta.filename + ".seen";
         const before = existsSync(seen);
         writeFileSync(seen, "");
         ${body}`,
      );
    const program = `
      import { spawnSync } from "node:child_process";
      import { failuresOf, withSecondAttempt } from ${JSON.stringify(join(root, "scripts/lib/second-attempt.mjs"))};
      const [folder, vitest] = process.argv.slice(1);
      const run = (report, more) => {
        const args = [vitest, "run", "--root", folder, "--reporter=json", "--outputFile=" + report, ...more];
        return { code: spawnSync(process.execPath, args).status, unhandled: ${unhandled} };
      };
      const { code, files, second } = await withSecondAttempt(run, folder);
      const short = (name) => name.slice(folder.length + 1);
      const passed = files.flatMap((file) => file.assertionResults).filter(({ status }) => status === "passed").length;
      console.log(JSON.stringify({ code, passed, failed: files.flatMap(failuresOf).map(short), second: second.map(short) }));`;
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const { lines, err } = run(process.execPath, ["--input-type=module", "-e", program, realpathSync(folder), vitest]);
    expect(err).toBe("");
    return JSON.parse(lines.at(-1) ?? "");
  };
  const good = 'test("good", () => {});';
  const flaky = `test("flaky", () => expect(before).toBe(true)); ${good}`;
  const broken = `test("broken", () => expect(1).toBe(2)); ${good}`;
  expect(attempts({ a: good, b: flaky })).toEqual({ code: 0, passed: 3, failed: [], second: ["b.test.ts: flaky"] });
  expect(attempts({ a: good, b: flaky, c: broken })).toEqual({
    code: 1,
    passed: 4,
    failed: ["c.test.ts: broken"],
    second: ["b.test.ts: flaky"],
  });
  expect(attempts({ b: flaky }, true)).toEqual({ code: 1, passed: 1, failed: ["b.test.ts: flaky"], second: [] });
  const many = Array.from({ length: 5 }, (_, index) => `test("${index}", () => expect(before).toBe(true));`).join(" ");
  expect(attempts({ m: many })).toMatchObject({ code: 1, passed: 0, second: [] });
  // A file that does not get as far as its tests.
  expect(attempts({ a: good, n: `if (!before) throw new Error("no"); ${good}` })).toEqual({
    code: 0,
    passed: 2,
    failed: [],
    second: ["n.test.ts"],
  });
});
