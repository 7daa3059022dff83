// Keys of replies that are read aloud.
import type { JsonObject } from "@margay/core";
import { says } from "@margay/core/testing";
import type { Probe, Probes, World } from "./probe.ts";

/** Somebody spoke. @returns model and voice of what was asked to read the answer, and how many sounds there are. */
async function spokenTo({ app, model }: World): Promise<unknown> {
  model.replies(says("Hello to you."));
  const blob = await app.agent.blobs.put(Buffer.from("OggS and what was said"));
  await app.agent.send("api:probe", [{ type: "media", mediaType: "audio/ogg", blob, voice: true }]).finished;
  await app.agent.idle();
  let sounds = 0;
  for await (const { records } of (await app.agent.sessions.find("api:probe"))?.history() ?? [])
    sounds += records.filter((record) => record.type === "reply.sending" && record.sound !== undefined).length;
  return [...model.spoken.map((asked) => `${asked.model} ${asked.voice}`), sounds];
}

const speech = (values: Probe["values"], saw: Probe["saw"], given: JsonObject = { model: "mock/tts-9" }): Probe => ({
  values,
  config: { speech: given },
  place: { env: { PATH: process.env["PATH"] ?? "" } },
  see: spokenTo,
  saw,
});

export const SPEECH: Probes = {
  "speech.reply": speech(["voice", "never"], [["tts-9 alloy", 1], [0]]),
  "speech.model": speech([null, "mock/tts-8"], [[0], ["tts-8 alloy", 1]], {}),
  "speech.voice": speech(
    ["nova", "onyx"],
    [
      ["tts-9 nova", 1],
      ["tts-9 onyx", 1],
    ],
  ),
  "speech.command": speech([[], ["espeak-ng", "--stdout"]], [[0], [1]], {}),
};
