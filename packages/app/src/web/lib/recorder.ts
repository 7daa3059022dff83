/** The microphone into a file: asked for when it is pressed, given back as soon as it ends. */

/** Why nothing can be recorded here; undefined: it can. */
export type RecordingFault = "insecure" | "unsupported";

/** Browsers give a microphone only to pages that nobody on the way can change. */
export function recordingFault(): RecordingFault | undefined {
  if (!isSecureContext) return "insecure";
  return "mediaDevices" in navigator && "MediaRecorder" in window ? undefined : "unsupported";
}

export interface Recorder {
  /** Resolves with what was recorded when it was stopped, is full, or the microphone is gone; empty when discarded. */
  readonly ended: Promise<Blob>;
  stop(): void;
  discard(): void;
}

/** All of them are taken by the gateway. Opus is small enough for an hour and a half. */
const TYPES = ["audio/webm;codecs=opus", "audio/mp4", "audio/ogg;codecs=opus"] as const;
const BITS_PER_SECOND = 32_000;
/** The gateway takes 25 MiB; a recorder may still hold a second. */
const MAX_BYTES = 24 * 1024 * 1024;
const PIECE_MS = 1000;

/** @throws DOMException: `NotAllowedError`, `NotFoundError`, … */
export async function startRecorder(): Promise<Recorder> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const release = (): void => {
    for (const track of stream.getTracks()) track.stop();
  };
  try {
    const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type));
    const options = { audioBitsPerSecond: BITS_PER_SECOND, ...(mimeType !== undefined && { mimeType }) };
    return record(new MediaRecorder(stream, options), release);
  } catch (error) {
    release();
    throw error;
  }
}

function record(recorder: MediaRecorder, release: () => void): Recorder {
  const { promise: ended, resolve } = Promise.withResolvers<Blob>();
  let pieces: Blob[] = [];
  let bytes = 0;
  let discarded = false;
  const stop = (): void => {
    if (recorder.state !== "inactive") recorder.stop();
    release();
  };
  recorder.addEventListener("dataavailable", ({ data }) => {
    if (discarded) return;
    pieces.push(data);
    bytes += data.size;
    if (bytes > MAX_BYTES) stop();
  });
  recorder.addEventListener("stop", () => {
    release();
    resolve(new Blob(pieces, { type: recorder.mimeType }));
  });
  recorder.start(PIECE_MS);
  return {
    ended,
    stop,
    discard: () => {
      discarded = true;
      pieces = [];
      stop();
    },
  };
}
