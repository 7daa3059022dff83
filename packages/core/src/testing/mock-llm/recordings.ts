// Speech to text as OpenAI's API has it (`POST /audio/transcriptions`) and Google's (`POST /interactions`), and the way back.

import type { IncomingMessage, ServerResponse } from "node:http";

import { fields, list, string } from "./json.ts";
import { createMouth, type Mouth } from "./voices.ts";

/** A recording that the mock model was asked to write down. */
export interface RecordedSpeech {
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly model: string;
  /** As the form says; `""` where there is none. */
  readonly fileName: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** Any answer at all. */
export interface HeardAnswer {
  readonly status: number;
  /** A string is sent as it is. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is heard: a text as both APIs would say it, or an answer, which may wait. */
type Script = string | HeardAnswer | ((speech: RecordedSpeech) => HeardAnswer | Promise<HeardAnswer>);

export interface Ears extends Mouth {
  /** In order of arrival. */
  readonly recordings: readonly RecordedSpeech[];
  /** Queued in order; each recording takes the next. When the queue is empty it is silence. */
  hears(...scripts: readonly Script[]): void;
  takes(path: string): boolean;
  /** Never rejects: what is no recording gets 400. */
  answer(
    path: string,
    headers: RecordedSpeech["headers"],
    incoming: IncomingMessage,
    response: ServerResponse,
  ): Promise<void>;
}

const SPEECH = "/audio/speech";
const SOUND = { "content-type": "application/octet-stream" };

export function createEars(): Ears {
  const recordings: RecordedSpeech[] = [];
  const scripts: Script[] = [];
  const mouth = createMouth();
  return {
    recordings,
    spoken: mouth.spoken,
    speaks: mouth.speaks,
    hears: (...more) => void scripts.push(...more),
    takes: (path) => ["/audio/transcriptions", "/interactions", SPEECH].some((end) => path.endsWith(end)),
    answer: async (path, headers, incoming, response) => {
      try {
        const body = await bytesOf(incoming);
        if (path.endsWith(SPEECH)) {
          const sound = await mouth.answer(path, headers, body);
          send(response, "status" in sound ? sound : { status: 200, body: sound, headers: SOUND });
          return;
        }
        const speech = await readSpeech(path, headers, body);
        recordings.push(speech);
        send(response, await heard(scripts.shift() ?? "", speech));
      } catch (error) {
        send(response, { status: 400, body: { error: { message: `This is no recording: ${String(error)}` } } });
      }
    },
  };
}

/** @throws Error when the body is not what the API takes. */
async function readSpeech(
  path: string,
  headers: RecordedSpeech["headers"],
  body: Uint8Array<ArrayBuffer>,
): Promise<RecordedSpeech> {
  if (path.endsWith("/interactions")) {
    const { model, input } = fields(JSON.parse(Buffer.from(body).toString("utf8")));
    const { data, mime_type: mediaType } = fields(list(input)[0]);
    const bytes = Buffer.from(string(data), "base64");
    return { path, headers, model: string(model), fileName: "", mediaType: string(mediaType), bytes };
  }
  const form = await new Response(body, { headers: { "content-type": headers["content-type"] ?? "" } }).formData();
  const [file, model] = [form.get("file"), form.get("model")];
  if (!(file instanceof File) || typeof model !== "string") throw new Error("there is no file or no model");
  const bytes = new Uint8Array(await file.arrayBuffer());
  return { path, headers, model, fileName: file.name, mediaType: file.type, bytes };
}

async function heard(script: Script, speech: RecordedSpeech): Promise<HeardAnswer> {
  if (typeof script === "function") return script(speech);
  if (typeof script !== "string") return script;
  if (!speech.path.endsWith("/interactions")) return { status: 200, body: { text: script } };
  const steps = [{ type: "model_output", content: [{ type: "text", text: script }] }];
  return { status: 200, body: { status: "completed", steps } };
}

function send(response: ServerResponse, { status, body, headers = {} }: HeardAnswer): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body));
}

async function bytesOf(incoming: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  for await (const part of incoming) parts.push(part as Uint8Array); // no encoding is set: always bytes
  return new Uint8Array(Buffer.concat(parts));
}
