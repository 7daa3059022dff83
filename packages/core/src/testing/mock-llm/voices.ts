// Text to speech as OpenAI's API has it: `POST /audio/speech`.

import { fields, string } from "./json.ts";

/** A text that the mock model was asked to read aloud. */
export interface SpokenText {
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly model: string;
  readonly voice: string;
  readonly input: string;
  readonly format: string;
}

/** Sound, or an answer that is none. */
type Sound = Uint8Array | { readonly status: number; readonly body: unknown };

/** What is said: always the same, or what fits the text; it may wait. */
export type SpokenScript = Sound | ((spoken: SpokenText) => Sound | Promise<Sound>);

export interface Mouth {
  /** In order of arrival. */
  readonly spoken: readonly SpokenText[];
  /** Queued in order; each text takes the next. When the queue is empty it is a tenth of a second of silence, as WAV. */
  speaks(...scripts: readonly SpokenScript[]): void;
}

const FORMATS = ["mp3", "opus", "aac", "flac", "wav", "pcm"];
/** OpenAI's limit. */
const MAX_INPUT = 4096;

export function createMouth(): Mouth & {
  answer(path: string, headers: SpokenText["headers"], body: Uint8Array): Promise<Sound>;
} {
  const spoken: SpokenText[] = [];
  const scripts: SpokenScript[] = [];
  return {
    spoken,
    speaks: (...more) => void scripts.push(...more),
    answer: async (path, headers, body) => {
      const text = readText(path, headers, body);
      spoken.push(text);
      const script = scripts.shift() ?? silence();
      return typeof script === "function" ? script(text) : script;
    },
  };
}

/** @throws Error when the body is not what the API takes. */
function readText(path: string, headers: SpokenText["headers"], body: Uint8Array): SpokenText {
  const {
    model,
    voice,
    input,
    response_format: format = "mp3",
    ...more
  } = fields(JSON.parse(Buffer.from(body).toString("utf8")));
  const unknown = Object.keys(more).filter((name) => !["instructions", "speed", "stream_format"].includes(name));
  if (unknown.length > 0) throw new Error(`unknown parameters: ${unknown.join(", ")}`);
  for (const value of [model, voice, input])
    if (typeof value !== "string" || value === "") throw new Error("model, voice and input are texts");
  if (string(input).length > MAX_INPUT) throw new Error(`the input is longer than ${MAX_INPUT}`);
  if (!FORMATS.includes(string(format))) throw new Error("unknown response_format");
  return { path, headers, model: string(model), voice: string(voice), input: string(input), format: string(format) };
}

function silence(): Uint8Array {
  const bytes = Buffer.alloc(44 + 1600);
  bytes.write("RIFF", 0);
  bytes.writeUInt32LE(36 + 1600, 4);
  bytes.write("WAVEfmt ", 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20); // PCM
  bytes.writeUInt16LE(1, 22); // channels
  bytes.writeUInt32LE(8000, 24);
  bytes.writeUInt32LE(16_000, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write("data", 36);
  bytes.writeUInt32LE(1600, 40);
  return bytes;
}
