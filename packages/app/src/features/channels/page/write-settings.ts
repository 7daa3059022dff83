/** A part of the settings as a page changes it: only as they were when it was shown. */
import { api } from "../../../web/panel-kit/api.ts";

/** @param hash Of all settings; `null` in the patch takes a value out. */
export async function writeSettings(patch: object, hash: string): Promise<void> {
  await api.patch("/settings", patch, { ifMatch: `"${hash}"` });
}
