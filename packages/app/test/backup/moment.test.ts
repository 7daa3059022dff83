// BK1: a backup that is made while many conversations run is a state that existed.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { cutOf } from "../../src/features/backup/cut.ts";
import { startGateway } from "../gateway/support.ts";

const CHATS = 50;
const PASSPHRASE = "correct horse battery staple";
const PROGRAM = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function command(home: string, ...argv: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, ["--conditions=margay-source", PROGRAM, ...argv], {
    env: { ...process.env, MARGAY_HOME: home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString("utf8")));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, out, err })));
}

test("BK1 BK5 made while fifty conversations run, it is a state that existed", { timeout: 180_000 }, async (t) => {
  const gateway = await startGateway(t);
  const { home, app, api } = gateway;
  const pairing = app.inside.pairing;
  await pairing.accept((await pairing.offer("webhook", "user")) ?? "", "operator");
  await api("/cron/jobs", {
    method: "POST",
    body: {
      trigger: { kind: "every", everyMs: 3_600_000 },
      message: "look outside",
      target: { channel: "web", chat: "me" },
    },
  });
  const place = join(home, "..");
  const passphrase = join(place, "passphrase");
  writeFileSync(passphrase, PASSPHRASE);
  let isMade = false;
  let turns = 0;
  const busy = Array.from({ length: CHATS }, async (_, chat) => {
    do {
      await app.agent.send(`cli:chat-${String(chat)}`, `turn ${String(turns)}`).finished;
      turns += 1;
    } while (!isMade);
  });
  const made = await command(home, "backup", join(place, "target"), "--passphrase-file", passphrase, "--json");
  isMade = true;
  await Promise.all(busy);
  expect(made).toMatchObject({ code: 0 });
  expect(turns).toBeGreaterThan(CHATS);

  const to = join(place, "restored");
  const source = join(place, "target");
  expect(await command(home, "restore", source, "--to", to, "--passphrase-file", passphrase)).toMatchObject({
    code: 0,
  });
  // Up to a commit: a beginning of what is there by now, in whole lines.
  const wrong: string[] = [];
  const journals = readdirSync(join(to, "sessions")).filter((name) => name.endsWith(".journal"));
  for (const name of journals) {
    const then = readFileSync(join(to, "sessions", name));
    const now = readFileSync(join(home, "sessions", name));
    if (then.at(-1) !== 10 || !now.subarray(0, then.length).equals(then)) wrong.push(name);
  }
  expect(wrong).toEqual([]);
  expect(journals.length).toBeGreaterThan(0);
  const paired = readdirSync(join(home, "channels"), { recursive: true, encoding: "utf8" });
  expect(paired.length).toBeGreaterThan(0);
  for (const path of ["cron/jobs.journal", ...paired.filter((one) => /json/.test(one)).map((one) => `channels/${one}`)])
    expect([path, readFileSync(join(to, path), "utf8")]).toEqual([path, readFileSync(join(home, path), "utf8")]);
  // It starts as after a crash, settles what was open, and answers.
  const started = await command(to, "agent", "-m", "are you there?");
  expect(started).toMatchObject({ code: 0 });
  expect(await command(to, "audit", "verify")).toMatchObject({ code: 0 });
  const shown = await command(to, "doctor", "--json");
  expect(shown.out).not.toContain('"sessionDamaged"');
  const drilled = await command(home, "backup", "drill", source, "--passphrase-file", passphrase, "--json");
  expect(drilled).toMatchObject({ code: 0 });
  expect(JSON.parse(drilled.out)).toMatchObject({ ok: true, sessions: journals.length });
});

test("BK1 the moment takes less than 50 ms of the processor with 3,000 conversations", { timeout: 60_000 }, () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "margay-moment-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(join(home, "sessions"));
  for (let chat = 0; chat < 3000; chat++) writeFileSync(join(home, `sessions/chat-${String(chat)}.journal`), "{}\n");
  const took = Array.from({ length: 3 }, () => {
    const before = process.threadCpuUsage();
    cutOf(home, {});
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  });
  expect(Math.min(...took)).toBeLessThan(50);
});
