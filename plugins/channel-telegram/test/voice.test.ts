// A voice note is answered by voice: the whole program behind the channel, a real program that speaks, and ffmpeg.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@margay/core";
import { spendingOf } from "@margay/core/internal";
import { stalls } from "@margay/core/internal/testing";
import { says } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { startGateway, type TestGateway } from "../../../packages/app/test/gateway/support.ts";
import { startTelegram, type Telegram } from "./emulator/telegram.ts";
import { temporary } from "./support.ts";

interface Scene {
  readonly telegram: Telegram;
  readonly gateway: TestGateway;
  readonly chat: ReturnType<Telegram["privateChat"]>;
  /** Anna speaks. */
  speak(recording: Uint8Array): void;
}

async function scene(config: JsonObject, env: Readonly<Record<string, string>> = {}): Promise<Scene> {
  const telegram = await startTelegram();
  onTestFinished(() => telegram[Symbol.asyncDispose]());
  const anna = telegram.person("Anna");
  const chat = telegram.privateChat(anna);
  const gateway = await startGateway(
    { onTestFinished },
    {
      env: { PATH: process.env["PATH"] ?? "", ...env },
      config: {
        channels: {
          telegram: { enabled: true, token: telegram.token, baseUrl: telegram.url, operators: [String(anna.id)] },
        },
        ...config,
      },
    },
  );
  return { telegram, gateway, chat, speak: (bytes) => void telegram.write(anna, chat, { voice: { bytes } }) };
}

function without({ loaded, configure }: TestGateway["app"], person: string): void {
  const { [person]: _gone, ...people } = loaded.config.people;
  configure({ ...loaded, config: { ...loaded.config, people } });
}

/** A sentence as a phone would send it. */
function recorded(text: string): Buffer {
  const folder = temporary();
  const wav = join(folder, "said.wav");
  const ogg = join(folder, "said.ogg");
  execFileSync("espeak-ng", ["-w", wav, text]);
  execFileSync("ffmpeg", ["-nostdin", "-loglevel", "error", "-i", wav, "-c:a", "libopus", "-b:a", "24k", ogg]);
  return execFileSync("cat", [ogg]);
}

interface Sound {
  readonly codec: string;
  readonly container: string;
  readonly seconds: number;
  /** Decibels of its loudest moment: silence has less than -90. */
  readonly loudest: number;
}

/** What ffmpeg says of a sound. */
function listen(bytes: Uint8Array): Sound {
  const path = join(temporary(), "heard");
  writeFileSync(path, bytes);
  const shown = JSON.parse(
    execFileSync("ffprobe", ["-v", "error", "-show_format", "-show_streams", "-of", "json", path]).toString(),
  ) as { streams: { codec_name: string }[]; format: { format_name: string; duration: string } };
  const volume = execFileSync("sh", ["-c", 'ffmpeg -nostdin -i "$1" -af volumedetect -f null - 2>&1', "sh", path]);
  return {
    codec: shown.streams[0]?.codec_name ?? "",
    container: shown.format.format_name,
    seconds: Number(shown.format.duration),
    loudest: Number(/max_volume: (-?[\d.]+) dB/.exec(volume.toString())?.[1] ?? Number.NaN),
  };
}

const ears = { agent: { transcriptionModel: "mock/whisper-9" } };
const ESPEAK = ["espeak-ng", "--stdout"];

test("CH78 CH78a a voice note is written down, and answered by its text and by a voice note of Ogg and Opus that is heard", async () => {
  const { telegram, gateway, chat, speak } = await scene({ ...ears, speech: { command: ESPEAK } });
  const { model } = gateway;
  model.hears("What is on my list for today?");
  model.replies(
    says("You have **two** things to do today: buy milk, and call your mother.\n\n```\ncode is not read\n```"),
  );
  const said = recorded("What is on my list for today?");
  speak(said);
  await telegram.until(() => telegram.shown(chat).length === 3);
  expect(Buffer.from(model.recordings[0]?.bytes ?? []).equals(said)).toBe(true);
  expect(JSON.stringify(model.requests[0]?.body)).toContain("[voice note] What is on my list for today?");
  const [, text, answer] = telegram.shown(chat);
  expect(text?.text).toContain("two things to do today");
  const note = answer?.message.voice;
  expect(note?.mime_type).toBe("audio/ogg");
  const sound = listen(telegram.bytes(note?.file_id ?? "") ?? Buffer.alloc(0));
  expect(sound).toMatchObject({ codec: "opus", container: "ogg" });
  // Eleven words: neither a click nor the code as well.
  expect(sound.seconds).toBeGreaterThan(2.5);
  expect(sound.seconds).toBeLessThan(8);
  expect(sound.loudest).toBeGreaterThan(-20);
  expect(model.recordings).toHaveLength(1);
});

test("CH78a a model reads aloud in the platform's kind, and what it costs is counted", async () => {
  const { telegram, gateway, chat, speak } = await scene({
    ...ears,
    speech: { model: "mock/tts-1", voice: "nova" },
  });
  const { model } = gateway;
  const sound = recorded("Good morning");
  model.hears("hello");
  model.speaks(sound);
  model.replies(says("Good morning, Anna."));
  speak(recorded("hello"));
  await telegram.until(() => telegram.shown(chat).length === 3);
  expect(model.spoken).toMatchObject([{ model: "tts-1", voice: "nova", input: "Good morning, Anna.", format: "opus" }]);
  expect(model.spoken[0]?.headers["authorization"]).toMatch(/^Bearer ./);
  const note = telegram.shown(chat).at(-1)?.message.voice;
  expect(telegram.bytes(note?.file_id ?? "")?.equals(sound)).toBe(true);
  const { body } = await gateway.api("/usage?group=purpose");
  expect(JSON.stringify(body)).toContain("speech");
});

/** The owner and a guest in a group: the bot has answered the owner, and the guest answers it by voice. */
async function inGroup(
  budgets: readonly JsonObject[],
): Promise<TestGateway & { readonly shown: () => number; readonly key: string }> {
  const telegram = await startTelegram();
  onTestFinished(() => telegram[Symbol.asyncDispose]());
  const [anna, ben] = [telegram.person("Anna"), telegram.person("Ben")];
  const group = telegram.supergroup("Trip", [anna, ben]);
  const account = { enabled: true, token: telegram.token, baseUrl: telegram.url, operators: [String(anna.id)] };
  const chats = { [String(group.id)]: { groups: "named", allowFrom: [String(ben.id)] } };
  const config = { channels: { telegram: { ...account, chats } }, ...ears, speech: { model: "mock/tts-1" }, budgets };
  const gateway = await startGateway({ onTestFinished }, { env: { PATH: process.env["PATH"] ?? "" }, config });
  gateway.model.hears("and me?");
  gateway.model.speaks(recorded("You too"));
  gateway.model.replies(says("Hello Anna."), says("You too, Ben."));
  telegram.write(anna, group, `@${telegram.bot.username} hello`);
  await telegram.until(() => telegram.shown(group).length === 2);
  const ours = telegram.shown(group).at(-1)?.message.message_id ?? 0;
  telegram.write(ben, group, { voice: { bytes: recorded("and me?") }, replyTo: ours });
  return { ...gateway, shown: () => telegram.shown(group).length, key: `telegram:${group.id}` };
}

test("CH78 CH78a PE7 in a group a guest pays for their voice note, and for the voice of its answer", async () => {
  const { app, shown, key } = await inGroup([]);
  await expect.poll(shown).toBe(5);
  await app.agent.idle();
  const session = await app.agent.sessions.find(key);
  const spent: unknown[] = [];
  for await (const { purpose, guest } of spendingOf(session?.history() ?? [])) spent.push([purpose, guest]);
  expect(spent).toEqual([
    ["turn", undefined],
    ["transcription", key],
    ["turn", key],
    ["speech", key],
  ]);
});

test("CH78 PE7 in a group a guest whose share has no room for it is not written down, whatever the owner's day has", async () => {
  const { app, model, key } = await inGroup([{ scope: "guest", tokens: 1500 }]);
  await expect
    .poll(async () => JSON.stringify((await app.agent.sessions.find(key))?.state ?? ""))
    .toContain("no budget has room for it");
  expect(model.recordings).toEqual([]);
});

/** Bob speaks, and the model is about to answer. */
async function askedByBob(): Promise<{
  readonly telegram: Telegram;
  readonly app: TestGateway["app"];
  readonly key: string;
  answer(): void;
  /** What he has in the end, and how often something was read aloud. */
  had(): Promise<readonly [texts: readonly string[], spoken: number]>;
}> {
  const telegram = await startTelegram();
  onTestFinished(() => telegram[Symbol.asyncDispose]());
  const bob = telegram.person("Bob");
  const chat = telegram.privateChat(bob);
  const account = { enabled: true, token: telegram.token, baseUrl: telegram.url, live: "off" };
  const people = { bob: { ids: [`telegram:${bob.id}`] } };
  const config = { channels: { telegram: account }, people, ...ears, speech: { model: "mock/tts-1" } };
  const { app, model } = await startGateway({ onTestFinished }, { env: { PATH: process.env["PATH"] ?? "" }, config });
  const slow = stalls({ rest: says("BOB-ANSWER of his mail") });
  model.hears("read my mail");
  model.replies(slow);
  telegram.write(bob, chat, { voice: { bytes: recorded("read my mail") } });
  await model.received(1);
  return {
    telegram,
    app,
    key: `telegram:${bob.id}`,
    answer: slow.release,
    had: async () => {
      await telegram.until(() => telegram.shown(chat).length === 2);
      await app.agent.idle();
      return [telegram.shown(chat).flatMap(({ own, text }) => (own ? [text ?? ""] : [])), model.spoken.length];
    },
  };
}

const NOT_HERE = [["I may not say that here. Its owner must do it."], 0];

test("PE47 CH78a what stands in place of an answer whose reader was removed while it was made is text alone", async () => {
  const { app, answer, had } = await askedByBob();
  without(app, "bob");
  answer();
  expect(await had()).toEqual(NOT_HERE);
});

test("PE47 CH78a what stands in place of an answer whose reader was removed while it waited is text alone", async () => {
  const { telegram, app, key, answer, had } = await askedByBob();
  const body = { ok: false, error_code: 500, description: "Internal Server Error" };
  telegram.fault({ when: "sendMessage", how: { status: 500, body } });
  answer();
  await expect.poll(async () => (await app.agent.sessions.find(key))?.state.outbox[0]?.attempt).toBe(1);
  without(app, "bob");
  expect(await had()).toEqual(NOT_HERE);
});

test("CH78a with speech.reply never, and with nothing that speaks, the answer is text alone and nothing is made", async () => {
  for (const speech of [{ command: ESPEAK, reply: "never" }, {}, { command: ["no-such-program"] }]) {
    const { telegram, gateway, chat, speak } = await scene({ ...ears, speech });
    gateway.model.hears("hello");
    gateway.model.replies(says("only text"), says("the second"));
    speak(recorded("hello"));
    await telegram.until(() => telegram.shown(chat).length === 2);
    telegram.write({ ...telegram.person("x"), id: chat.id }, chat, "by hand");
    await telegram.until(() => telegram.shown(chat).length === 4);
    await gateway.app.agent.idle();
    expect(telegram.shown(chat).flatMap(({ own, text }) => (own ? [text] : []))).toEqual(["only text", "the second"]);
  }
});

test("CH78a without ffmpeg what a program says arrives as a file that plays", async () => {
  const tools = join(temporary(), "bin");
  mkdirSync(tools);
  const found = (process.env["PATH"] ?? "").split(":").find((folder) => existsSync(join(folder, "espeak-ng")));
  symlinkSync(join(found ?? "", "espeak-ng"), join(tools, "espeak-ng"));
  const { telegram, gateway, chat, speak } = await scene({ ...ears, speech: { command: ESPEAK } }, { PATH: tools });
  gateway.model.hears("hello");
  gateway.model.replies(says("Hello to you, too."));
  speak(recorded("hello"));
  await telegram.until(() => telegram.shown(chat).length === 3);
  const file = telegram.shown(chat).at(-1)?.message.document;
  expect(file?.file_name).toBe("voice.wav");
  const sound = listen(telegram.bytes(file?.file_id ?? "") ?? Buffer.alloc(0));
  expect(sound).toMatchObject({ codec: "pcm_s16le", container: "wav" });
  expect(sound.seconds).toBeLessThan(4); // its header says how long it is
  expect(sound.loudest).toBeGreaterThan(-20);
  expect(gateway.logs.map(({ event }) => event)).toContain("speech.not-converted");
});
