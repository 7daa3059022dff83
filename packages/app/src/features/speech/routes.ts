/** Speech that becomes the text of a message: only where a model for it is configured. */
import { requireBudget } from "../../host/sessions/send.ts";
import { Problem } from "../../host/api/problem.ts";
import { ASKS_A_MODEL, route, type Call, type Route } from "../../host/api/route.ts";
import { TranscriptionSchema } from "../../protocol/media.ts";
import { hear, ownerOf, type Heard } from "../../host/sessions/hear.ts";
import { told } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

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
    errors: ["model.not-found", "attachment.unsupported", "budget.exhausted", "system.estopped", ...ASKS_A_MODEL],
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
      throw new Problem(
        "attachment.unsupported",
        told({ detail: TEXT.theseBytesNo, remedy: TEXT.sendWavMp }, { mediaType: heard.mediaType }),
      );
    case "no-budget":
      throw new Problem("budget.exhausted", told({ detail: TEXT.noBudgetHas, remedy: TEXT.recordLessWait }));
  }
}

const EMPTY = told({ detail: TEXT.recordingEmpty, remedy: TEXT.sendBytesBody });
const UNSET = told({ detail: TEXT.noModelFor, remedy: TEXT.setAgentTranscriptionmodel });

function unfit(name: string): typeof UNSET {
  return told({ detail: TEXT.providerHasNothing, remedy: TEXT.setAgentTranscriptionmodelModel }, { name });
}
