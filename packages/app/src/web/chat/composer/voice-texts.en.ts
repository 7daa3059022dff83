/** Words of speaking a message: what happens, and what to do when it does not. */
export const en = {
  start: "Speak the message",
  label: "Voice",
  asking: "Waiting for the microphone…",
  recording: "Recording",
  writing: "Writing it down…",
  written: "What you said is in the message.",
  discarded: "Discarded",
  stop: "Stop",
  stopWhy: "Ends the recording and writes it down",
  again: "Try again",
  discard: "Discard",
  close: "Close",
  nothing: "Nothing was recorded. Check the microphone and try again.",
  silence: "No words were heard. Speak closer to the microphone.",
  refused: "The browser does not give the microphone to this page. Allow it in the site settings of the browser.",
  missing: "There is no microphone. Connect one and try again.",
  broken: "The microphone could not be used. Close other programs that use it and try again.",
  insecure:
    "Speaking a message is not offered here: browsers give a microphone only to pages that came over https or from this machine. Open margay by https.",
  unsupported: "Speaking a message is not offered here: this browser records no sound. Use another one.",
} as const;
