/** A file to the gateway, with how much of it is there: `fetch` tells nothing before the answer. */
import { ApiProblem, headersOf, offline, problemOf } from "./api.ts";
import type { BlobRef } from "./wire.ts";

export interface Uploaded {
  readonly blob: BlobRef;
  readonly mediaType: string;
  readonly name: string;
}

/**
 * @param onProgress From 0 to 1.
 * @throws ApiProblem.
 */
export function uploadFile(file: File, onProgress: (share: number) => void, signal: AbortSignal): Promise<Uploaded> {
  return new Promise((resolve, reject) => {
    const url = new URL("/api/v1/uploads", location.origin);
    url.searchParams.set("name", file.name);
    const request = new XMLHttpRequest();
    request.open("POST", url);
    const contentType = file.type === "" ? "application/octet-stream" : file.type;
    for (const [name, value] of Object.entries(headersOf({ contentType }))) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total));
    request.addEventListener("error", () => reject(offline()));
    request.addEventListener("abort", () => reject(offline()));
    request.addEventListener("load", () => {
      if (request.status === 201) resolve(JSON.parse(request.responseText) as Uploaded);
      else reject(new ApiProblem(problemOf(request.responseText, request.status, request.statusText)));
    });
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(file);
  });
}
