// PE5 in a gateway that is killed at each step of it: invited once or not, and never unseen.
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { postSigned, SECRET, startReceiver, type Receiver } from "../channels/support.ts";
import { freePort } from "../free-port.ts";
import { killedGateway, PROGRAM, type KilledGateway, type Running, type StartOptions } from "./killed-gateway.ts";

const DIES = new URL("dies-at-file.ts", import.meta.url).href;
const MOST_COMMITS = 20;

interface House {
  readonly gateway: KilledGateway;
  readonly receiver: Receiver;
  readonly port: number;
}

/** Ada, the owner, has written once: she has a chat. */
async function house(): Promise<House> {
  const receiver = await startReceiver();
  const port = await freePort();
  const options = { url: receiver.url, port };
  const webhook = { enabled: true, secret: SECRET, operators: ["ada"], options };
  const gateway = await killedGateway({ config: () => ({ channels: { webhook }, people: { eva: { name: "Eva" } } }) });
  onTestFinished(async () => {
    await gateway.close();
    await receiver[Symbol.asyncDispose]();
  });
  const place = { gateway, receiver, port };
  const running = await gateway.start();
  await write(place, "ada", "hello", () => false);
  await expect.poll(() => toldTo(place, "ada"), { timeout: 20_000 }).not.toBe("[]");
  running?.kill();
  await running?.gone;
  return place;
}

let serial = 0;
/** Until it was taken, or the gateway is gone: a platform sends again. @returns what was answered at once. */
async function write({ port }: House, sender: string, text: string, isGone: () => boolean): Promise<string> {
  const message = { id: `v${++serial}`, chat: sender, sender, text, private: true };
  let answer = "";
  const isTaken = async (): Promise<boolean> => {
    try {
      const { body } = await postSigned(port, message);
      answer = String(body["answer"] ?? "");
      return true;
    } catch {
      return isGone();
    }
  };
  await expect.poll(isTaken, { timeout: 20_000 }).toBe(true);
  return answer;
}

function toldTo({ receiver }: House, chat: string): string {
  return JSON.stringify(receiver.received.filter(({ body }) => body["chat"] === chat).map(({ body }) => body["text"]));
}

async function invite({ gateway: { home } }: House): Promise<string> {
  const env = { ...process.env, MARGAY_HOME: home };
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, "people", "invite", "eva", "--json"], {
    env,
  });
  return (JSON.parse(stdout) as { code: string }).code;
}

function idsOf({ gateway: { home } }: House): unknown {
  const config = JSON.parse(readFileSync(join(home, "config.json"), "utf8")) as { people: { eva: { ids?: unknown } } };
  return config.people.eva.ids;
}

/** Killed there or not, the same sender ends as Eva, and nobody else does. @returns whether it was killed. */
async function killedAt(at: Parameters<KilledGateway["start"]>[0], options?: StartOptions): Promise<boolean> {
  const place = await house();
  const code = await invite(place);
  const first = await place.gateway.start(at, options);
  let isGone = first === undefined;
  void first?.gone.then(() => (isGone = true));
  const answer = await write(place, "77", code, () => isGone);
  const wasKilled = answer === "";
  first?.kill();
  await first?.gone;
  expect([undefined, ["webhook:77"]]).toContainEqual(idsOf(place));
  const running: Running | undefined = await place.gateway.start();
  expect(await write(place, "77", code, () => false)).toContain("Welcome, eva");
  expect(await write(place, "78", code, () => false)).not.toContain("Welcome");
  expect(idsOf(place)).toEqual(["webhook:77"]);
  const told = (): string => toldTo(place, "ada");
  await expect.poll(told, { timeout: 20_000 }).toContain("webhook:77 has sent the code of the invitation for eva");
  expect(toldTo(place, "77")).toBe("[]");
  running?.kill();
  await running?.gone;
  const { home } = place.gateway;
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { parentPath, name } of files)
    expect([name, readFileSync(join(parentPath, name), "utf8").includes(code)]).toEqual([name, false]);
  return wasKilled;
}

function diesAt(file: string, time = "1"): StartOptions {
  return { environment: { NODE_OPTIONS: `--import ${DIES}`, DIES_REPLACING: file, DIES_AT: time } };
}

test.for([
  ["before it is used", "/invitations.json", "1"],
  ["before config.json is replaced", "/config.json", "1"],
  ["before it is done with", "/invitations.json", "2"],
] as const)("PE5 killed %s the same sender ends as who was invited, and nobody else", async ([, file, time]) => {
  expect(await killedAt(undefined, diesAt(file, time))).toBe(true);
});

test("PE5 killed at each commit of it they are let in once, and the owner was told", async () => {
  let commit = 1;
  for (; commit < MOST_COMMITS; commit++)
    if (!(await killedAt({ commit, when: commit % 2 === 0 ? "before" : "after" }))) break;
  expect(commit).toBeGreaterThan(1);
  expect(commit).toBeLessThan(MOST_COMMITS);
}, 300_000);
