// npm start that is interrupted, as a person meets it: the real scripts in a checkout of their own, between an npm and a
// margay that do nothing but say that they ran.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "..");
/** Leaves behind what npm leaves: its list of what it meant to install, and a child that is still at work. */
const HANGS = `mkdir -p node_modules; cp package-lock.json node_modules/.package-lock.json
sleep 1000 & echo "child $!" >> "$LOG"; wait`;
const INSTALLS = `mkdir -p node_modules`;

interface Checkout {
  start(npm: string): {
    readonly child: ChildProcess;
    readonly ended: Promise<{ code: number | null; out: string; err: string }>;
  };
  /** The lines that the programs wrote. */
  log(): readonly string[];
}

function checkout(): Checkout {
  const folder = mkdtempSync(join(tmpdir(), "margay-start-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const at = (name: string): string => join(folder, name);
  cpSync(join(root, "scripts"), at("scripts"), { recursive: true });
  cpSync(join(root, "package-lock.json"), at("package-lock.json"));
  writeFileSync(at("scripts/build.mjs"), "");
  mkdirSync(at("packages/app/bin"), { recursive: true });
  writeFileSync(at("packages/app/bin/margay.js"), 'console.log("margay runs");');
  writeFileSync(at("log"), "");
  const log = (): readonly string[] => readFileSync(at("log"), "utf8").split("\n").filter(Boolean);
  return {
    log,
    start: (npm) => {
      const programs = mkdtempSync(join(folder, "bin-"));
      writeFileSync(join(programs, "npm"), `#!/bin/sh\necho "npm $1" >> "$LOG"\n${npm}\n`);
      chmodSync(join(programs, "npm"), 0o755);
      const child = spawn(process.execPath, [at("scripts/start.mjs")], {
        cwd: folder,
        env: {
          ...process.env,
          PATH: `${programs}:${process.env["PATH"] ?? ""}`,
          LOG: at("log"),
          MARGAY_HOME: at("home"),
        },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let [out, err] = ["", ""];
      child.stdout.on("data", (part) => (out += String(part)));
      child.stderr.on("data", (part) => (err += String(part)));
      // Not "close": what it left behind may hold its outputs open.
      const ended = once(child, "exit").then(async ([code]) => {
        for (const stream of code === null ? [] : [child.stdout, child.stderr])
          if (!stream.readableEnded) await once(stream, "end");
        return { code: code as number | null, out, err };
      });
      return { child, ended };
    },
  };
}

const runs = (pid: number): boolean =>
  existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));

async function childOf(place: Checkout): Promise<number> {
  await expect.poll(place.log).toContainEqual(expect.stringMatching(/^child \d+$/));
  return Number(
    place
      .log()
      .find((line) => line.startsWith("child"))
      ?.slice(6),
  );
}

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
  test(`DF40 R426 npm start ended by ${signal} while npm installs takes npm and its children along, and installs anew next time`, async () => {
    const place = checkout();
    const first = place.start(HANGS);
    const child = await childOf(place);
    first.child.kill(signal);
    expect((await first.ended).code).toBe(1);
    await expect.poll(() => runs(child)).toBe(false);
    expect(await place.start(INSTALLS).ended).toMatchObject({ code: 0, out: "margay runs\n" });
    expect(place.log().filter((line) => line.startsWith("npm"))).toEqual(["npm ci", "npm ci"]);
    expect(await place.start(INSTALLS).ended).toMatchObject({ code: 0, out: "margay runs\n", err: "" });
    expect(place.log().filter((line) => line.startsWith("npm"))).toHaveLength(2);
  });

test("DF40 R426 npm start killed alone: the next one ends the npm that went on before it installs", async () => {
  const place = checkout();
  const first = place.start(HANGS);
  const child = await childOf(place);
  first.child.kill("SIGKILL");
  await first.ended;
  expect(runs(child)).toBe(true);
  const gone = `kill -0 ${child} 2>/dev/null && echo "beside an older npm" >> "$LOG"; `;
  const second = await place.start(gone + INSTALLS).ended;
  expect(second).toMatchObject({ code: 0, out: "margay runs\n" });
  expect(second.err).toContain("An earlier start was interrupted; its leftovers were ended.");
  expect(place.log()).toEqual(["npm ci", `child ${child}`, "npm ci"]);
});

test("R426 of two starts at once one installs, and the other waits for it", async () => {
  const place = checkout();
  const fifo = 'mkdir -p node_modules; mkfifo node_modules/go; echo "child $$" >> "$LOG"; cat node_modules/go';
  const first = place.start(fifo);
  await childOf(place);
  const second = place.start(INSTALLS);
  const gone = once(second.child, "exit"); // it may end before the first has told all
  let heard = "";
  for await (const part of second.child.stderr!) if ((heard += String(part)).includes("waiting for it")) break;
  const folder = first.child.spawnargs[1]?.replace("/scripts/start.mjs", "") ?? "";
  writeFileSync(join(folder, "node_modules/go"), "");
  expect(await first.ended).toMatchObject({ code: 0, out: "margay runs\n" });
  await gone;
  expect(place.log().filter((line) => line.startsWith("npm"))).toEqual(["npm ci"]);
});

test.for([
  ["ENOSPC", /The disk is full/],
  ["EACCES", /Give this folder to the user/],
  ["EROFS", /read-only/],
  ["ENOTFOUND", /registry could not be reached/],
  ["EOTHER", /npm's reason is above/],
] as const)("R426 npm start names the cause when npm fails with %s, and tries nothing else", async ([code, said]) => {
  const place = checkout();
  const { code: exit, err } = await place.start(`echo "npm error code ${code}" >&2; exit 1`).ended;
  expect(exit).toBe(1);
  expect(err).toMatch(said);
  expect(place.log()).toEqual(["npm ci"]);
});
