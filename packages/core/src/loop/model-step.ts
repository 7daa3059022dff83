/** One model request: streamed live, its outcome as data. What a person has already read is never thrown away. */
import type { AssistantMessage, AssistantPart, ModelRef, Usage } from "../contract/message.ts";
import type { ModelRequest, Patience, Sampling } from "../contract/provider.ts";
import type { ErrorInfo } from "../contract/record.ts";
import type { Session, SessionState, TurnState } from "../contract/session.ts";
import { RuntimeError, toErrorInfo } from "../lib/errors/errors.ts";
import { heardBefore } from "../lib/async/heard-before.ts";
import { NO_USAGE } from "../lib/usage.ts";
import { cleanPart, createLiveAnswer } from "./clean-answer.ts";
import type { LoopDeps } from "./deps.ts";
import { isAnswering, isHeard, silence, waitOf } from "./waiting/waiting.ts";

export type Answer =
  | { readonly ok: true; readonly message: AssistantMessage; readonly dropped?: NonNullable<TurnState["dropped"]> }
  /** `usage`: what it produced before it failed is paid for. */
  | { readonly ok: false; readonly error: ErrorInfo; readonly usage?: Usage };

/** Of the moment a conversation began, in base 36: comes again after 17 hours. */
const LIFE_CHARS = 5;

/**
 * @param again What the caller does when it fails.
 * @throws `signal.reason` when aborted before anything was shown, or because the process is stopping.
 */
export async function request(
  session: Session,
  deps: LoopDeps,
  model: ModelRef,
  tools: boolean,
  again: Pick<Patience, "attempts">,
  signal: AbortSignal,
): Promise<Answer> {
  const { prefix, turn, seq } = session.state;
  if (prefix === undefined || turn === undefined)
    throw new RuntimeError("internal.bug", "A model was asked outside of a turn.");
  const { settings } = deps;
  const asked = turn.sampling ?? {};
  const temperature = asked.temperature ?? settings.temperature;
  const sampling: Sampling = {
    maxOutputTokens: asked.maxOutputTokens ?? settings.maxTokens,
    thinking: asked.thinking ?? settings.thinking,
    toolChoice: tools ? ((turn.steps === 0 ? asked.toolChoice : undefined) ?? "auto") : "none",
    ...(temperature !== null && { temperature }),
  };
  const parts: AssistantPart[] = [];
  const live = createLiveAnswer(session, turn.id, deps.secrets);
  let shown = "";
  let producedChars = 0;
  const estimatedUsage = (outputChars: number): Usage => {
    const usage = { ...NO_USAGE, input: turn.estimated, output: Math.ceil(outputChars / 4), estimated: true };
    const costUsd = deps.costOf(model, usage);
    return costUsd === undefined ? usage : { ...usage, costUsd };
  };
  const failed = (error: ErrorInfo): Answer => ({
    ok: false,
    error,
    ...(producedChars > 0 && { usage: estimatedUsage(producedChars) }),
  });
  const message = (rest: Pick<AssistantMessage, "parts" | "finish" | "usage">): AssistantMessage => ({
    role: "assistant",
    at: deps.clock.now(),
    model,
    ...rest,
  });
  const partial = (finish: "cancelled" | "cut"): Answer => ({
    ok: true,
    message: message({
      parts: [{ type: "text", text: deps.redact(shown) }],
      finish,
      usage: estimatedUsage(shown.length),
    }),
  });
  const wait = waitOf(session, deps);
  try {
    const body: ModelRequest = {
      id: requestId(session.state, seq),
      model: model.model,
      prefix,
      messages: deps.context.project(session.state),
      sampling,
      cacheKey: session.state.id,
      media: (ref) => deps.blobs.read(ref),
      patience: { ...again, empty: turn.empty, ...(wait !== undefined && { firstMs: wait.left() }) },
    };
    const events = heardBefore({
      open: (own) => deps.provider(model).stream(body, own),
      isHeard,
      late: wait?.late,
      signal,
    });
    for await (const event of events) {
      if (isAnswering(event)) deps.firstWords.over(session.state.key);
      if ("text" in event) producedChars += event.text.length;
      switch (event.type) {
        case "text.delta":
          shown += event.text;
          live.push(event);
          break;
        case "thinking.delta":
        case "tool-call.delta":
          live.push(event);
          break;
        case "part":
          live.end();
          parts.push(cleanPart(event.part, deps));
          break;
        case "done":
          live.end();
          return {
            ok: true,
            message: {
              ...message({ parts, finish: event.finish, usage: event.usage }),
              ...(event.model !== undefined && { model: refOf(event.model) }), // a fallback answered
            },
            ...(event.dropped !== undefined && { dropped: event.dropped }),
          };
      }
    }
    throw new RuntimeError("provider.truncated", "The model's stream ended before it was done.", { retryable: true });
  } catch (error) {
    if (signal.aborted) {
      // Stopped by a person: what they read stays. A stopping process asks again after its restart.
      live.end();
      if (shown !== "" && isStop(signal.reason)) return partial("cancelled");
      throw signal.reason;
    }
    const late = wait !== undefined && error === wait.late.reason;
    const info = toErrorInfo(late ? silence(`${model.provider}/${model.model}`, wait, deps.clock) : error);
    if (wait !== undefined) wait.fault = info;
    if (shown.trim() === "") return failed(info);
    // After text was shown only a timeout is repeated, and then visibly from the start; where nobody reads along
    // (a job, a subagent), whatever may pass is. Who streams to a program has handed it on already.
    if (info.code === "provider.timeout" || (!turn.attended && !turn.steerable && info.retryable)) {
      session.publish({ type: "text.restarted", turn: turn.id });
      return failed(info);
    }
    live.end();
    return partial("cut");
  }
}

/** `provider/model`; the model's own name may hold slashes. */
function refOf(name: string): ModelRef {
  const at = name.indexOf("/");
  return { provider: name.slice(0, at), model: name.slice(at + 1) };
}

export function isStop(reason: unknown): boolean {
  return reason instanceof RuntimeError && reason.code === "turn.cancelled";
}

/** A conversation that is begun again under its key counts anew, and its calls must not be taken for those of the one before. */
function requestId({ createdAt }: SessionState, seq: number): string {
  return `r${seq}-${createdAt.toString(36).slice(-LIFE_CHARS)}`;
}
