/** How this person likes to work here, kept in this browser: what sends, how reasoning is shown, single-letter keys. */
import { signal, type ReadonlySignal } from "@preact/signals";

/** `mod-enter`: Ctrl+Enter (⌘ on macOS) sends and Enter breaks the line. */
export const SEND_KEYS = ["enter", "mod-enter"] as const;

export const REASONING = ["folded", "open", "hidden"] as const;

/** What the navigation shows beside its signs. */
const NAMES = ["hidden", "shown"] as const;

/** Of the list of chats: those that nobody asked for by hand. */
const PROGRAMS = ["shown", "hidden"] as const;

const LETTERS = ["on", "off"] as const;

const sendKeyStore = choice("margay.send-key", SEND_KEYS);
const reasoningStore = choice("margay.reasoning", REASONING);
const nameStore = choice("margay.nav-names", NAMES);
const programStore = choice("margay.programs", PROGRAMS);
const letterStore = choice("margay.letter-keys", LETTERS);

export const sendKey = sendKeyStore.value;
export const setSendKey = sendKeyStore.set;
export const reasoning = reasoningStore.value;
export const setReasoning = reasoningStore.set;
export const navNames = nameStore.value;
export const setNavNames = nameStore.set;
export const programs = programStore.value;
export const setPrograms = programStore.set;
/** Shortcuts of one character: off for those who dictate or press keys by accident (WCAG 2.1.4). */
export const letterKeys = letterStore.value;
export const setLetterKeys = letterStore.set;

interface Choice<Value> {
  readonly value: ReadonlySignal<Value>;
  readonly set: (next: string) => void;
}

/** The first is what holds until another is chosen. */
function choice<const Value extends string>(name: string, all: readonly [Value, ...Value[]]): Choice<Value> {
  const known = (text: string | null): Value => all.find((one) => one === text) ?? all[0];
  const value = signal(known(localStorage.getItem(name)));
  return {
    value,
    set: (next) => {
      value.value = known(next);
      localStorage.setItem(name, value.value);
    },
  };
}
