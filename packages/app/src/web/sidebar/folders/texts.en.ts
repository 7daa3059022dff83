/** Texts of the folders that chats are put into. */
export const en = {
  "folder.move": "Folder…",
  "folder.of": "Folder of “{title}”",
  "folder.none": "In no folder",
  "folder.new": "New folder",
  "folder.put": "Put there",
  "folder.put.done": "“{title}” is in {folder}",
  "folder.out.done": "“{title}” is in no folder",
  "folder.name": "Folder {name}",
  "folder.head": "Folders",
  "folder.leave": "Show all conversations",
  "folder.empty": "No conversation is in this folder any more",
  "folder.later": "A new chat can be put into a folder after its first message",
} as const;
