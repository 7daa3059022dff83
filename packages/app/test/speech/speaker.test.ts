// What makes the sound of a reply: a model or a program.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@margay/core";
import { systemClock } from "@margay/core/internal";
import { expect, test } from "vitest";
import { runProgram, type ProgramOptions } from "../../src/features/speech/run-program.ts";
import { speakerOf } from "../../src/features/speech/speaker.ts";
import { soundType, withLength } from "../../src/features/speech/sound.ts";
import { startGateway, type Owner, type TestGateway } from "../gateway/support.ts";

const never = new AbortController().signal;
const NODE = process.execPath;
const PATH = process.env["PATH"] ?? "";

interface Place {
  readonly gateway: TestGateway;
  readonly options: Parameters<typeof speakerOf>[0];
}

async function place(t: Owner, speech: JsonObject, exec: JsonObject = {}): Promise<Place> {
  const gateway = await startGateway(t, { env: { PATH }, config: { speech, tools: { exec } } });
  const { app } = gateway;
  const log = { warn: () => {} };
  const { blobs } = app.agent;
  const { sandbox, secret } = app.inside;
  return {
    gateway,
    options: { loaded: app.inside.loaded(), env: { PATH }, blobs, sandbox, clock: systemClock(), log, secret },
  };
}

function unconfined({ gateway }: Place): ProgramOptions {
  return { folder: join(gateway.home, "speech"), state: gateway.home, environment: { PATH } };
}

test("CH78a what a sound is asked for: the platform's kind where it has one, and what it cost", async (t) => {
  const { gateway, options } = await place(t, { model: "mock/tts-1" });
  const made = await speakerOf(options)?.speak("Hello.", [], never);
  await speakerOf(options)?.speak("Hello.", ["audio/ogg"], never);
  expect(made?.usage).toMatchObject({ input: 6, estimated: true });
  expect(gateway.model.spoken.map(({ format }) => format)).toEqual(["mp3", "opus"]);
});

test("CH78a a program of this machine reads aloud in the sandbox of commands: it sees nothing of the state", async (t) => {
  const peeks = [
    'const fs = require("node:fs");',
    'const text = fs.readFileSync(0, "utf8");',
    "const secret = process.argv[1];",
    'process.stdout.write(`RIFF0000WAVEfmt ${text.trim()} ${fs.existsSync(secret) ? "sees" : "blind"} ${process.env.SECRET ?? "clean"}`);',
  ].join("\n");
  for (const [sandbox, seen] of [
    ["required", "blind"],
    ["none", "sees"],
  ] as const) {
    const scene = await place(t, { command: [] }, { sandbox });
    const { gateway, options } = scene;
    const secret = join(gateway.home, "config.json");
    const { loaded } = options;
    const speech = { ...loaded.config.speech, command: [NODE, "-e", peeks, `x${secret}`.slice(1)] };
    const speaker = speakerOf({
      ...options,
      env: { PATH, SECRET: "key" },
      loaded: { ...loaded, config: { ...loaded.config, speech } },
    });
    const made = await speaker?.speak("hello", [], never);
    const bytes = made && (await gateway.app.agent.blobs.read(made.part.blob));
    expect(Buffer.from(bytes ?? []).toString("latin1")).toContain(`hello ${seen} clean`);
  }
});

test("CH78a run-program/MAX_OUTPUT_BYTES a program that fails, says nothing, says too much or never ends is told, and is gone", async (t) => {
  const scene = await place(t, {});
  const options = unconfined(scene);
  const run = (script: string, signal = never): Promise<unknown> =>
    runProgram([NODE, "-e", script], Buffer.from("text"), options, signal).catch((error: unknown) => error);
  expect(await run('console.error("no voice"); process.exit(3)')).toMatchObject({
    code: "speech.failed",
    message: expect.stringContaining("ended with 3: no voice. Check speech.command."),
  });
  expect(await run("")).toMatchObject({ message: expect.stringContaining("wrote nothing") });
  expect(await run("for (;;) require('node:fs').writeSync(1, Buffer.alloc(1 << 20))")).toMatchObject({
    message: expect.stringContaining("wrote more than 33554432 bytes"),
  });
  expect(
    await runProgram(["no-such-program"], Buffer.from(""), options, never).catch((error: unknown) => error),
  ).toMatchObject({
    message: "no-such-program is not installed. Check speech.command.",
  });
  const stop = new AbortController();
  const pids = join(scene.gateway.home, "pid");
  const endless = run(
    `require("node:fs").writeFileSync(${JSON.stringify(pids)}, String(process.pid)); setInterval(() => {}, 1000)`,
    stop.signal,
  );
  await expect.poll(() => readIfThere(pids)).not.toBe("");
  stop.abort(new Error("enough"));
  expect(await endless).toBe(stop.signal.reason);
  await expect.poll(() => isAlive(Number(readIfThere(pids)))).toBe(false);
});

test("CH78a speak/MAX_SOUND_BYTES a service that fails, sends no sound or too much of it is told", async (t) => {
  const { gateway, options } = await place(t, { model: "mock/tts-1" });
  const speak = (): Promise<unknown> =>
    speakerOf(options)
      ?.speak("Hello.", [], never)
      .catch((error: unknown) => error) ?? Promise.resolve();
  gateway.model.speaks({ status: 401, body: { error: { message: "no" } } });
  expect(await speak()).toMatchObject({ code: "provider.auth" });
  gateway.model.speaks(new Uint8Array());
  expect(await speak()).toMatchObject({ code: "provider.malformed" });
  gateway.model.speaks(new Uint8Array(33 * 1024 * 1024));
  expect(String(await speak())).toContain("more than 33554432 bytes");
  gateway.model.speaks(Buffer.from("<html>not found</html>"));
  expect(await speak()).toMatchObject({ code: "speech.failed" });
  expect(readdirSync(gateway.home)).not.toContain("speech");
});

test("CH78a what a sound is, is said by its bytes; one that was written while it was spoken gets its length", async () => {
  const file = join(import.meta.dirname, "speaker.test.ts");
  expect(soundType(readFileSync(file))).toBeUndefined();
  expect(soundType(Buffer.from("OggS....................OpusHead"))).toBe("audio/ogg");
  expect(soundType(Buffer.from("OggS....................vorbis"))).toBe("audio/ogg; codecs=vorbis");
  const wav = Buffer.concat([
    Buffer.from("RIFF\xff\xff\xff\x7fWAVEfmt ........data\xff\xff\xff\x7f", "latin1"),
    Buffer.alloc(100),
  ]);
  const fixed = Buffer.from(withLength(wav));
  expect([fixed.readUInt32LE(4), fixed.readUInt32LE(28)]).toEqual([wav.length - 8, 100]);
});

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // not yet
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // there is no such process
  }
}
