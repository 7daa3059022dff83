// Gemini generateContent streams.
import { asRecord } from "../failure-text.ts";
import { NAMELESS } from "./wire.ts";
import type { Wire, WireEvent } from "./wire.ts";

export const googleWire: Wire = (output) => {
  let finished = false;
  const event = (value: WireEvent): void => {
    if (value["error"] !== undefined && value["error"] !== null) throw output.failed(200, value);
    const candidates = Array.isArray(value["candidates"]) ? value["candidates"].map(asRecord) : [];
    const candidate = candidates.find((item) => (item?.["index"] ?? 0) === 0);
    const rest = usageOf(value);
    if (candidate === undefined) {
      const blocked = asRecord(value["promptFeedback"])?.["blockReason"];
      // A blocked prompt has no candidate and so no finish of its own.
      if (typeof blocked === "string" && !finished) {
        finished = true;
        output.send({ candidates: [{ finishReason: "PROHIBITED_CONTENT" }], ...rest });
      } else if (Object.keys(rest).length > 0) output.send({ candidates: [], ...rest });
      return;
    }
    const reason = candidate["finishReason"];
    if (typeof reason === "string" && reason !== "" && reason !== "FINISH_REASON_UNSPECIFIED") finished = true;
    const parts = asRecord(candidate["content"])?.["parts"];
    output.send({
      candidates: [
        {
          ...(Array.isArray(parts) && {
            content: {
              role: "model",
              parts: parts
                .map(asRecord)
                .filter((part): part is WireEvent => part !== undefined)
                .map(strictPart),
            },
          }),
          ...(typeof reason === "string" && reason !== "" && { finishReason: reason }),
        },
      ],
      ...rest,
    });
  };
  return {
    event,
    body: event,
    marker: () => undefined,
    flush: () => undefined,
    end: () => undefined,
    get finished() {
      return finished;
    },
    closed: false,
    failure: (text) => ({ error: { code: 500, message: text, status: "INTERNAL" } }),
  };
};

function usageOf(value: WireEvent): WireEvent {
  const usage = asRecord(value["usageMetadata"]);
  return usage === undefined ? {} : { usageMetadata: usage };
}

function strictPart(part: WireEvent): WireEvent {
  const call = asRecord(part["functionCall"]);
  if (call === undefined || call["name"] !== undefined || call["args"] === undefined) return part;
  return { ...part, functionCall: { ...call, name: NAMELESS } };
}
