/** An answer read by a voice of this device: there is a button only where it has one of the answer's language. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { languageTag } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { languageOf, spokenOf, voiceFor } from "./spoken.ts";
import { t } from "./texts.ts";

export function ReadAloud({ text, answer }: { text: string; answer: () => Element | null }): VNode | null {
  const voice = useVoice(languageOf(text, languageTag()));
  const [reads, setReads] = useState(false);
  useEffect(() => {
    if (!reads) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      setReads(false);
    };
    addEventListener("keydown", onKey, { capture: true });
    const end = voice === undefined ? undefined : read(answer(), voice, () => setReads(false));
    return () => {
      removeEventListener("keydown", onKey, { capture: true });
      end?.();
    };
  }, [reads]);
  if (voice === undefined) return null;
  return (
    <Button
      kind="quiet"
      size="small"
      icon={reads ? "stop" : "play"}
      label={reads ? t("stop") : t("read")}
      aria-pressed={reads}
      onClick={() => setReads(!reads)}
    />
  );
}

/** Browsers know their voices some time after the page stands. */
function useVoice(language: string): SpeechSynthesisVoice | undefined {
  const synthesis = (globalThis as { speechSynthesis?: SpeechSynthesis }).speechSynthesis; // some views of apps have none
  const [voices, setVoices] = useState(() => synthesis?.getVoices() ?? []);
  useEffect(() => {
    const look = (): void => setVoices(synthesis?.getVoices() ?? []);
    synthesis?.addEventListener("voiceschanged", look);
    return () => synthesis?.removeEventListener("voiceschanged", look);
  }, []);
  return voiceFor(language, voices);
}

/** @returns what ends it. One answer at a time: what another one reads ends, and its button says so. */
function read(answer: Element | null, voice: SpeechSynthesisVoice, over: () => void): () => void {
  const pieces = answer === null ? [] : spokenOf(answer);
  let isOver = false;
  const ended = (): void => {
    if (!isOver) over();
    isOver = true;
  };
  speechSynthesis.cancel();
  for (const [at, piece] of pieces.entries()) {
    const said = new SpeechSynthesisUtterance(piece);
    said.voice = voice;
    said.lang = voice.lang;
    said.addEventListener("error", ended);
    if (at === pieces.length - 1) said.addEventListener("end", ended);
    speechSynthesis.speak(said);
  }
  if (pieces.length === 0) ended();
  return () => {
    if (isOver) return; // what is read now is another answer
    isOver = true;
    speechSynthesis.cancel();
  };
}
