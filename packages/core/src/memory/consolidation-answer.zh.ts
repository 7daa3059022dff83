/** The model's way of saying, in either language, that there is nothing to keep. */
export const NOTHING: RegExp = /^\s*(\(nothing\)|无需记录)\s*[。.]?\s*$/i;
