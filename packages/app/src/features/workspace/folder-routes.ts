/** Folders of this machine, to choose the workspace among; and whether one can be it, before margay begins anew in it. */
import { accessSync, constants, existsSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { messageOf } from "@margay/core/internal";
import { pathIn, refuseHomeInside } from "../../config/paths.ts";
import { Problem } from "../../host/api/problem.ts";
import { route, type Call, type Route } from "../../host/api/route.ts";
import { told } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";
import { FolderBody, FolderQuery, FolderSchema, FoldersSchema } from "./folder-schema.ts";

const MAX_FOLDERS = 500;

export const FOLDER_ROUTES: readonly Route[] = [
  route({
    id: "listFolders",
    method: "GET",
    path: "/workspace/folders",
    scope: "admin",
    summary: "The folders in a folder of this machine, to choose a workspace.",
    query: FolderQuery,
    response: FoldersSchema,
    errors: ["media.not-found"],
    handle: (call) => {
      const { services, query } = call;
      const path = query.path === undefined ? services.environment.userHome : absolute(call, query.path);
      const parent = dirname(path);
      const all = foldersIn(path);
      return {
        body: {
          path,
          ...(parent !== path && { parent }),
          folders: all.slice(0, MAX_FOLDERS),
          more: all.length > MAX_FOLDERS,
        },
      };
    },
  }),
  route({
    id: "checkFolder",
    method: "POST",
    path: "/workspace/folders",
    scope: "admin",
    summary: "Makes the folder that shall be the workspace, where there is none, or says why it cannot be.",
    body: FolderBody,
    response: FolderSchema,
    errors: ["settings.invalid"],
    handle: (call) => {
      const path = absolute(call, call.body.path);
      const { home } = call.services.loadOptions.places;
      try {
        refuseHomeInside(home, path, call.t);
        makeFolders(path);
        accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
      } catch (error) {
        throw new Problem("settings.invalid", told({ detail: TEXT.unusable }, { path, why: messageOf(error) }));
      }
      return { body: { path } };
    },
  }),
];

/** As the key `workspace` means it: relative to the state directory. */
function absolute({ services }: Pick<Call<unknown, unknown>, "services">, path: string): string {
  return pathIn(services.loadOptions.places.home, path, services.environment.userHome);
}

/** Links count as what they lead to. @throws Problem `media.not-found`. */
function foldersIn(path: string): readonly string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter(
        (entry) =>
          !entry.name.startsWith(".") &&
          (entry.isDirectory() || isFolder(join(path, entry.name), entry.isSymbolicLink())),
      )
      .map(({ name }) => name)
      .toSorted((a, b) => a.localeCompare(b));
  } catch (error) {
    throw new Problem("media.not-found", told({ detail: TEXT.unreadable }, { path, why: messageOf(error) }));
  }
}

function isFolder(path: string, isLink: boolean): boolean {
  if (!isLink) return false;
  try {
    readdirSync(path);
    return true;
  } catch {
    return false;
  }
}

/** One by one: asked for all at once, Node never comes back from a file system that makes none (`/proc`). */
function makeFolders(path: string): void {
  if (existsSync(path)) return void readdirSync(path); // a file is none
  makeFolders(dirname(path));
  mkdirSync(path);
}
