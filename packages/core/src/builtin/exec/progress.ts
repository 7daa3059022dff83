// Live output of a command, in few and small pieces: what is shown late is replaced by what is newer.
import type { ToolContext } from "../../contract/tool.ts";

const PAUSE_MS = 100;
const MAX_PIECE_CHARS = 4_000;

export interface Progress {
  add(text: string): void;
  /** Shows what is waiting; nothing is shown afterwards. */
  end(): void;
}

export function createProgress(context: Pick<ToolContext, "clock" | "progress">): Progress {
  const ended = new AbortController();
  let waiting = "";
  let isPaused = false;
  const flush = (): void => {
    if (waiting === "") return;
    context.progress(waiting);
    waiting = "";
    isPaused = true;
    const resume = (): void => {
      isPaused = false;
      flush();
    };
    // Ended meanwhile: end() has shown the rest.
    context.clock.sleep(PAUSE_MS, ended.signal).then(resume, () => undefined);
  };
  return {
    add: (text) => {
      // Of a long text nothing before it is shown: no copy is made to find that out.
      waiting = (text.length >= MAX_PIECE_CHARS ? text : waiting + text).slice(-MAX_PIECE_CHARS);
      if (!isPaused && !ended.signal.aborted) flush();
    },
    end: () => {
      ended.abort(new Error("ended"));
      if (waiting !== "") context.progress(waiting);
      waiting = "";
    },
  };
}
