/** What `margay trust` asks for: of this process, or of the one that holds the lock. Everything is JSON on the way. */
import type { Json, JsonObject } from "@margay/core";
import type { EndorsedFile, LabelledFile, LabelledFiles } from "@margay/core/internal";
import { answering, type AnswerError } from "../../host/control/ask-holder.ts";

export type TrustAction =
  | { readonly do: "list"; readonly paths: readonly string[] }
  | { readonly do: "endorse"; readonly shown: readonly LabelledFile[] }
  | { readonly do: "disown"; readonly paths: readonly string[] };

export type TrustAnswer =
  | { readonly files: readonly LabelledFile[] }
  | { readonly done: readonly EndorsedFile[] }
  | AnswerError;

export async function performTrust(action: TrustAction, files: LabelledFiles): Promise<TrustAnswer> {
  switch (action.do) {
    case "list":
      return { files: await files.list(action.paths) };
    case "endorse":
      return { done: await files.endorse(action.shown, "user") };
    case "disown":
      return { done: await files.disown(action.paths) };
  }
}

/** For another process. */
export function answerTrust(action: JsonObject, files: LabelledFiles): Promise<Json> {
  return answering(() => performTrust(action as unknown as TrustAction, files)); // written by trust.ts of the same version
}
