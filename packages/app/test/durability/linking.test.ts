// PE3 in a gateway that is killed at each of its commits, and before config.json is replaced: linked once or not, and never unseen.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { postSigned, SECRET, startReceiver, type Receiver } from "../channels/support.ts";
import { freePort } from "../free-port.ts";
import { killedGateway, type KilledGateway, type Running, type StartOptions } from "./killed-gateway.ts";

const DIES = new URL("dies-at-file.ts", import.meta.url).href;
const MOST_COMMITS = 40;

interface House {
  readonly gateway: KilledGateway;
  readonly receiver: Receiver;
  readonly port: number;
}

async function house(): Promise<House> {
  const receiver = await startReceiver();
  const port = await freePort();
  const webhook = { enabled: true, secret: SECRET, options: { url: receiver.url, port } };
  const config = { channels: { webhook }, people: { eva: { ids: ["webhook:eva"] } } };
  const gateway = await killedGateway({ config: () => config });
  onTestFinished(async () => {
    await gateway.close();
    await receiver[Symbol.asyncDispose]();
  });
  return { gateway, receiver, port };
}

let serial = 0;
/** Until it was taken, or the gateway is gone: a platform sends again. */
async function write({ port }: House, sender: string, text: string, isGone: () => boolean): Promise<void> {
  const message = { id: `k${++serial}`, chat: sender, sender, text, private: true };
  const isTaken = (): Promise<boolean> => postSigned(port, message).then(() => true, isGone);
  await expect.poll(isTaken, { timeout: 20_000 }).toBe(true);
}

function toldTo({ receiver }: House, chat: string): string {
  return JSON.stringify(receiver.received.filter(({ body }) => body["chat"] === chat).map(({ body }) => body["text"]));
}

/** Eva asks for a code and her other account sends it, as far as the gateway lives. */
async function linking(place: House, running: Running | undefined): Promise<void> {
  const before = place.receiver.received.length;
  const isGone = (): boolean => died;
  let died = running === undefined;
  void running?.gone.then(() => (died = true));
  await write(place, "eva", "/link", isGone);
  // After a kill the answer before may come once more, with a code that is void: each that comes is sent.
  const sent = new Set<string>();
  const isDone = async (): Promise<boolean> => {
    const said = place.receiver.received.slice(before).map(({ body }) => body["text"]);
    for (const [, code = ""] of JSON.stringify(said).matchAll(/`\/link ([A-Z2-9]{8})`/g)) {
      if (!sent.has(code)) await write(place, "77", `/link ${code}`, isGone);
      sent.add(code);
    }
    return toldTo(place, "77").includes("webhook:77 is eva from now on.") || isGone();
  };
  await expect.poll(isDone, { timeout: 20_000 }).toBe(true);
}

function idsOf({ gateway: { home } }: House): unknown {
  const config = JSON.parse(readFileSync(join(home, "config.json"), "utf8")) as { people: { eva: { ids: unknown } } };
  return config.people.eva.ids;
}

const NOT = ["webhook:eva"];
const LINKED = ["webhook:eva", "webhook:77"];

/** What holds after the kill, and that it ends well. */
async function look(place: House): Promise<void> {
  const after = idsOf(place);
  expect([NOT, LINKED]).toContainEqual(after);
  const running = await place.gateway.start();
  const told = (): boolean => toldTo(place, "eva").includes("webhook:77 has sent the code that I gave here");
  if (JSON.stringify(after) === JSON.stringify(LINKED)) await expect.poll(told, { timeout: 20_000 }).toBe(true);
  else await linking(place, running);
  expect(idsOf(place)).toEqual(LINKED);
  expect(told()).toBe(true);
  running?.kill();
  await running?.gone;
}

async function killedAt(at: Parameters<KilledGateway["start"]>[0], options?: StartOptions): Promise<boolean> {
  const place = await house();
  const running = await place.gateway.start(at, options);
  await linking(place, running);
  const isWhole = toldTo(place, "77").includes("webhook:77 is eva from now on.");
  running?.kill();
  await running?.gone;
  await look(place);
  return isWhole;
}

test("PE3 killed before config.json is replaced nobody is linked, and the next code links once", async () => {
  expect(
    await killedAt(undefined, { environment: { NODE_OPTIONS: `--import ${DIES}`, DIES_REPLACING: "/config.json" } }),
  ).toBe(false);
});

test("PE3 killed at each commit of it somebody is linked once or not, and whose account it is was told", async () => {
  let commit = 1;
  for (; commit < MOST_COMMITS; commit++)
    if (await killedAt({ commit, when: commit % 2 === 0 ? "before" : "after" })) break;
  expect(commit).toBeGreaterThan(5);
  expect(commit).toBeLessThan(MOST_COMMITS);
}, 300_000);
