// The whole app with the webhook channel, running: messages come in over HTTP, replies are posted.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Clock, JsonObject } from "@margay/core";
import { startMockModel, type MockModel } from "@margay/core/testing";
import { onTestFinished } from "vitest";
import type { App } from "../../src/app.ts";
import { compose } from "../../src/compose/compose.ts";
import { loadConfig } from "../../src/config/load.ts";
import { placesOf } from "../../src/config/paths.ts";
import { translator } from "../../src/texts/translate.ts";
import { margay, modelConfig, type Margay } from "../cli/harness.ts";
import { SECRET, startReceiver, type Receiver } from "./support.ts";

export const ADMIT = { enabled: true, secret: SECRET };

export interface Running {
  readonly app: App;
  readonly model: MockModel;
  readonly receiver: Receiver;
  readonly place: Margay;
  readonly port: number;
  /** Ends the process, as far as one can within a test: its home stays. */
  close(): Promise<void>;
}

export interface RunningOptions {
  readonly config?: JsonObject;
  /** Of the workspace, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** `off` where a conversation is summarized: its head is another one then. */
  readonly rules?: "strict" | "off";
  /** Whether the channel is on. */
  readonly listens?: boolean;
  readonly clock?: Clock;
  readonly env?: Readonly<Record<string, string>>;
}

/** Listening. */
export async function running(channel: object = {}, options: RunningOptions = {}): Promise<Running> {
  const { listening, ...all } = await started(channel, options);
  return { ...all, port: await listening };
}

/** The next process on the same home. */
export async function startedAgain({ place, model, receiver, close }: Running, clock?: Clock): Promise<Running> {
  await close();
  const more = clock === undefined ? {} : { clock };
  const { listening, ...all } = await composed({ place, model, receiver, env: {}, listens: true, ...more });
  return { ...all, port: await listening };
}

/** `listening`: the port, once it has it. */
export async function started(
  channel: object = {},
  { config = {}, files = {}, rules = "strict", listens = true, clock, env: more = {} }: RunningOptions = {},
): Promise<Omit<Running, "port"> & { readonly listening: Promise<number> }> {
  const receiver = await startReceiver();
  const model = await startMockModel({ rules });
  const place = margay();
  const webhook = { ...ADMIT, options: { url: receiver.url, port: 0 }, ...channel };
  const { channels, ...others } = config;
  const all = { webhook, ...(channels !== undefined && Object(channels)) };
  place.configure({ ...modelConfig(model.url), channels: all, ...others });
  const workspace = join(place.home, "workspace");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  }
  onTestFinished(async () => {
    await receiver[Symbol.asyncDispose]();
    await model.close();
  });
  return composed({ place, model, receiver, env: more, listens, ...(clock !== undefined && { clock }) });
}

interface Composed extends Pick<Running, "place" | "model" | "receiver"> {
  readonly env: Readonly<Record<string, string>>;
  readonly listens: boolean;
  readonly clock?: Clock;
}

async function composed({
  place,
  model,
  receiver,
  env: more,
  listens,
  clock,
}: Composed): Promise<Omit<Running, "port"> & { readonly listening: Promise<number> }> {
  const env = { HOME: place.directory, ...more };
  const places = placesOf({ flag: place.home, env, userHome: place.directory, currentDirectory: place.directory });
  const listening = Promise.withResolvers<number>();
  const app = await compose({
    loaded: loadConfig({ places, env, userHome: place.directory, t: translator("en") }),
    language: "en",
    env,
    ...(clock !== undefined && { clock }),
    writeLog: (line) => {
      const { event, port } = JSON.parse(line) as { event?: string; port?: number };
      if (event === "channel.listening" && port !== undefined) listening.resolve(port);
    },
  });
  const stop = new AbortController();
  const work = app.agent.run(stop.signal);
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    stop.abort(new Error("enough"));
    await work;
    await app[Symbol.asyncDispose]();
  };
  const once = (): Promise<void> => (closed ??= close());
  onTestFinished(once);
  return { app, model, receiver, place, close: once, listening: listens ? listening.promise : Promise.resolve(0) };
}
