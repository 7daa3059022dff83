/** Speaking instead of typing: the microphone, the gateway that writes it down, and what went wrong. */
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../../api.ts";
import { t } from "./voice-texts.ts";
import { announce } from "../../lib/announce.ts";
import { serverNow } from "../../lib/now.ts";
import { startRecorder, type Recorder } from "../../lib/recorder.ts";
import { problemFrom } from "../../ui/problem.tsx";

export type VoiceState =
  | { readonly status: "idle" }
  /** The browser asks for the microphone. */
  | { readonly status: "asking" }
  | { readonly status: "recording"; readonly since: number }
  | { readonly status: "writing" }
  /** `recording`: it can be tried again. */
  | { readonly status: "failed"; readonly text: string; readonly recording?: Blob };

export interface Voice {
  readonly state: VoiceState;
  start(): void;
  /** Ends the recording: it is written down. */
  stop(): void;
  /** What failed, once more. */
  again(): void;
  /** Whatever is under way ends, and nothing of it is kept. */
  discard(): void;
}

/** @param onText What was said; nothing is sent. */
export function useVoice(onText: (text: string) => void): Voice {
  const [state, setState] = useState<VoiceState>({ status: "idle" });
  const latest = useRef(onText);
  latest.current = onText;
  const recorder = useRef<Recorder>(undefined);
  /** Of what is under way: whatever comes of it after the abort is dropped. */
  const attempt = useRef(new AbortController());

  const writeDown = async (recording: Blob, { signal }: AbortController): Promise<void> => {
    if (recording.size === 0) return fail(t("nothing"));
    setState({ status: "writing" });
    announce(t("writing"));
    try {
      const options = { raw: recording, contentType: recording.type, signal };
      const { text } = (await api.post<{ readonly text: string }>("/transcriptions", undefined, options)).body;
      if (signal.aborted) return;
      if (text === "") return fail(t("silence"));
      setState({ status: "idle" });
      announce(t("written"));
      latest.current(text);
    } catch (error) {
      if (!signal.aborted) fail(sentences(error), recording);
    }
  };
  const fail = (text: string, recording?: Blob): void =>
    setState({ status: "failed", text, ...(recording !== undefined && { recording }) });
  const record = async (own: AbortController): Promise<void> => {
    let started: Recorder;
    try {
      started = await startRecorder();
    } catch (error) {
      if (!own.signal.aborted) fail(microphoneFault(error));
      return;
    }
    if (own.signal.aborted) return started.discard(); // while the browser asked
    recorder.current = started;
    setState({ status: "recording", since: serverNow() });
    announce(t("recording"));
    const recording = await started.ended;
    recorder.current = undefined;
    if (!own.signal.aborted) await writeDown(recording, own);
  };
  const begin = (): AbortController => {
    attempt.current.abort();
    attempt.current = new AbortController();
    return attempt.current;
  };
  const end = (): void => {
    attempt.current.abort();
    recorder.current?.discard();
  };
  useEffect(() => end, []); // the microphone is not left open behind another chat
  return {
    state,
    start: () => {
      setState({ status: "asking" });
      void record(begin());
    },
    stop: () => recorder.current?.stop(),
    again: () => {
      if (state.status === "failed" && state.recording !== undefined) void writeDown(state.recording, begin());
    },
    discard: () => {
      end();
      setState({ status: "idle" });
      announce(t("discarded"));
    },
  };
}

function sentences(error: unknown): string {
  const { detail, remedy } = problemFrom(error);
  return remedy === undefined ? detail : `${detail} ${remedy}`;
}

function microphoneFault(error: unknown): string {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "NotAllowedError") return t("refused");
  return t(name === "NotFoundError" ? "missing" : "broken");
}
