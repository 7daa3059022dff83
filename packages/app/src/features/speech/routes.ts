/** Speech that becomes the text of a message: only where a model for it is configured. */
import { requireBudget } from "../../host/sessions/send.ts";
import { Problem } from "../../host/api/problem.ts";
import { route, type Call, type Route } from "../../host/api/route.ts";
import { TranscriptionSchema } from "../../protocol/media.ts";
import { hear, ownerOf, type Heard } from "../../host/sessions/hear.ts";

/** Each holds its recording in memory. */
const AT_ONCE = 4;

export const TRANSCRIPTION_ROUTES: readonly Route[] = [
  route({
    id: "transcribe",
    method: "POST",
    path: "/transcriptions",
    scope: "chat",
    summary: "What is said in a recording; 404 while agent.transcriptionModel is not set.",
    rawBody: "upload",
    response: TranscriptionSchema,
    errors: [
      "model.not-found",
      "attachment.unsupported",
      "budget.exhausted",
      "system.estopped",
      "provider.unreachable",
      "provider.failed",
      "provider.auth",
      "provider.rate-limited",
      "provider.quota",
    ],
    timeoutMs: null,
    handle: async (call) => {
      const { services, signal, credential } = call;
      const { clock, inside } = services.app;
      const bytes: unknown = call.body; // a raw body has no schema
      if (!(bytes instanceof Uint8Array) || bytes.length === 0 || credential === undefined)
        throw new Problem("attachment.unsupported", EMPTY);
      services.rates.take(`sends:${credential.id}`, inside.loaded().config.gateway.limits.sendsPerMinute);
      await requireBudget(call);
      const release = services.rates.hold("transcriptions", AT_ONCE);
      try {
        const from = clock.monotonic();
        const text = textOf(await hear(bytes, ownerOf(credential), services, signal), call);
        return { body: { text, ms: Math.round(clock.monotonic() - from) } };
      } finally {
        release();
      }
    },
  }),
];

/** @throws Problem. */
function textOf(heard: Heard, { services }: Pick<Call<unknown, unknown>, "services">): string {
  switch (heard.status) {
    case "heard":
      return heard.text;
    case "unset": {
      const { transcriptionModel: name } = services.app.inside.loaded().config.agent;
      throw new Problem("model.not-found", name === null ? UNSET : unfit(name));
    }
    case "unsupported":
      throw new Problem("attachment.unsupported", {
        detail: `These bytes are ${heard.mediaType}, no recording.`,
        remedy: "Send WAV, MP3, M4A, Ogg, FLAC or WebM.",
        zh: {
          detail: `这些数据是 ${heard.mediaType}，不是录音。`,
          remedy: "请发送 WAV、MP3、M4A、Ogg、FLAC 或 WebM。",
        },
      });
    case "no-budget":
      throw new Problem("budget.exhausted", {
        detail: "No budget has room for this recording.",
        remedy: "Record less, wait for the period to end, or raise the budget.",
        zh: { detail: "预算不足以转写这段录音。", remedy: "请录短一些，等待周期结束，或提高预算。" },
      });
  }
}

const EMPTY = {
  detail: "The recording is empty.",
  remedy: "Send its bytes as the body.",
  zh: { detail: "录音为空。", remedy: "请把录音的字节作为请求正文发送。" },
};
const UNSET = {
  detail: "No model for transcription is set.",
  remedy: "Set agent.transcriptionModel to provider/model, such as openai/gpt-4o-mini-transcribe.",
  zh: {
    detail: "未设置语音转文字的模型。",
    remedy: "请将 agent.transcriptionModel 设为 提供方/模型，例如 openai/gpt-4o-mini-transcribe。",
  },
};

function unfit(name: string): { readonly detail: string; readonly remedy: string; readonly zh: typeof UNSET.zh } {
  return {
    detail: `The provider of ${name} has nothing that turns speech into text here.`,
    remedy: "Set agent.transcriptionModel to a model of an OpenAI-compatible provider or of Google.",
    zh: {
      detail: `${name} 的提供方在此不支持语音转文字。`,
      remedy: "请将 agent.transcriptionModel 设为 OpenAI 兼容的提供方或 Google 的模型。",
    },
  };
}
