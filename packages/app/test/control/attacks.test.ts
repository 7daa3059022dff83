// What a model can do with the control door through its tools: nothing. Real gateway, real sandbox, real sockets.
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { says, startMockModel } from "@margay/core/testing";
import { callsTools } from "@margay/core/internal/testing";
import { expect, onTestFinished, test } from "vitest";
import { openAgent } from "../../src/index.ts";
import { margay, modelConfig, type Margay } from "../cli/harness.ts";
import { start, startGateway } from "../durability/running.ts";

/** Connects to each path and says whether somebody listens. Perl's base is part of every Debian. */
const KNOCK =
  'for (@ARGV) { socket(my $s, PF_UNIX, SOCK_STREAM, 0); print connect($s, sockaddr_un($_)) ? "OPEN $_\\n" : "closed\\n" }';

async function place(): Promise<{ readonly app: Margay; readonly model: Awaited<ReturnType<typeof startMockModel>> }> {
  const model = await startMockModel({ rules: "off" });
  onTestFinished(() => model.close());
  const app = margay();
  // The sandbox as it is by default.
  app.configure({ ...modelConfig(model.url), tools: {}, policy: { rules: [{ tool: "*", action: "allow" }] } });
  return { app, model };
}

/** Where the door of a state directory is. */
function doorOf({ home }: Pick<Margay, "home">): string {
  const address = join(home, "control", "address");
  return existsSync(address) ? readFileSync(address, "utf8").trim() : join(home, "control", "socket");
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ");
}

test("R421 a confined command finds no door, however it names it, and file tools touch nothing of it", async () => {
  const { app, model } = await place();
  const long = { ...app, home: join(app.directory, "a".repeat(60), "b".repeat(60)) };
  mkdirSync(long.home, { recursive: true, mode: 0o700 });
  writeFileSync(join(long.home, "config.json"), readFileSync(join(app.home, "config.json")), { mode: 0o600 });
  for (const one of [app, long]) {
    const gateway = await startGateway(one);
    const door = doorOf(one);
    const paths = [
      door,
      ...["1", "self", "$$", String(gateway.pid)].map((pid) => `/proc/${pid}/root${door}`),
      "link",
      "./../../../../../../../../../../".concat(door),
    ].filter((path) => Buffer.byteLength(path) < 107); // what a socket's address can hold
    const knock = `perl -MSocket -e ${quoted([KNOCK])} ${quoted(paths)}`;
    // It is there for whoever is outside.
    expect(execFileSync("perl", ["-MSocket", "-e", KNOCK, door], { encoding: "utf8" })).toBe(`OPEN ${door}\n`);
    model.replies(
      callsTools([
        { name: "exec", args: { command: `ln -sf ${quoted([door])} link; ${knock}; echo knocked` } },
        { name: "read_file", args: { path: door } },
        { name: "read_file", args: { path: join(one.home, "control", "address") } },
        { name: "list_dir", args: { path: join(one.home, "control") } },
        { name: "write_file", args: { path: door, content: "planted" } },
        { name: "write_file", args: { path: join(one.home, "control", "address"), content: "/tmp/mine" } },
      ]),
      says("done"),
    );
    const asked = model.requests.length;
    expect(await start(one, {}, "agent", "-m", "look for the door").ended).toBe(0);
    const body = model.requests[asked + 1]?.body as {
      readonly messages: readonly { readonly role: string; readonly content: string }[];
    }; // as margay sends it
    const results = body.messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    expect(results).toHaveLength(6);
    expect(results[0]).toContain("closed\n".repeat(paths.length));
    expect(results[0]).toContain("knocked");
    for (const refused of results.slice(1)) expect(refused).toMatch(/^Error:/);
    expect(lstatSync(door).isSocket()).toBe(true);
    expect(await start(one, {}, "cron", "list").ended).toBe(0); // it still answers
    gateway.kill("SIGTERM");
    expect(await gateway.ended).toBe(0);
  }
}, 120_000);

test("R421 what an address in the door's folder names is not removed, unless it is a door", async () => {
  const { app } = await place();
  const elsewhere = join(app.directory, "letters");
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "first"), "kept");
  mkdirSync(join(app.home, "control"), { recursive: true, mode: 0o755 });
  for (const named of ["first", "socket"]) {
    writeFileSync(join(app.home, "control", "address"), join(elsewhere, named));
    {
      await using _opened = await openAgent({ home: app.home });
      expect(lstatSync(join(app.home, "control")).mode & 0o777).toBe(0o700);
      expect(doorOf(app)).toBe(join(app.home, "control", "socket"));
      expect(lstatSync(doorOf(app)).mode & 0o777).toBe(0o600);
    }
    expect(readFileSync(join(elsewhere, "first"), "utf8")).toBe("kept");
  }
}, 60_000);

test("R421 callers that say nothing, half of something or nothing more hold up nobody, and are let go with the process", async () => {
  const { app, model } = await place();
  model.replies(says("pong"));
  const gateway = await startGateway(app);
  const open = (text: string, end: boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ path: doorOf(app), allowHalfOpen: true }, () => {
        if (text !== "") socket.write(text);
        if (end) socket.end();
        resolve();
      });
      socket.on("error", reject);
      onTestFinished(() => void socket.destroy());
    });
  for (let n = 0; n < 100; n++) {
    await open("", n % 2 === 0);
    await open("GET /api/v1/status HTTP/1.1\r\n", n % 2 === 0);
    await open("GET / HTTP/1.1\r\nconnection: Upgrade\r\nupgrade: margay-terminal\r\n\r\n", n % 2 === 0);
  }
  const beside = start(app, {}, "agent", "-m", "ping");
  expect(await beside.ended).toBe(0);
  expect(beside.out()).toContain("pong");
  gateway.kill("SIGTERM");
  expect(await gateway.ended).toBe(0);
  expect(existsSync(doorOf(app))).toBe(false);
  rmSync(app.home, { recursive: true, force: true });
}, 60_000);
