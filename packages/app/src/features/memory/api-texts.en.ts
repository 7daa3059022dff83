/** What routes of memory say. */
export const en = {
  noneFilesKept: "{name} is none of the files that are kept here.",
  theyAre: "They are {list}.",
  cannotWritten: "{name} cannot be written: {reason}",
  putOrdinaryFile: "Put an ordinary file in its place.",
  noSuchSession: "There is no such session.",
  listsThem: "GET /api/v1/sessions lists them.",
  turnRunningIn: "A turn is running in this session.",
  waitForEnd: "Wait for its end, or stop it.",
  noVersionFile: "There is no version {v} of this file any more.",
} as const;
