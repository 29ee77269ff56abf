/** A file with the path that its document gets. */
export interface NamedFile {
  readonly name: string;
  readonly file: File;
}

/** Files that a form gives; those of a folder have a path. */
export const chosenFiles = (given: Iterable<File>): readonly NamedFile[] =>
  Array.from(given, (file) => ({ name: file.webkitRelativePath || file.name, file }));

/** The files of a drop, with those of its folders by their paths. A drop gives its entries while its event is handled: they are taken at once. */
export async function droppedFiles({ items, files }: DataTransfer): Promise<readonly NamedFile[]> {
  const entries = Array.from(items, (item) => item.webkitGetAsEntry?.() ?? undefined);
  const plain = chosenFiles(files);
  if (!entries.some((entry) => entry?.isDirectory === true)) return plain;
  const found = await Promise.all(entries.map(async (entry) => (entry === undefined ? [] : filesOf(entry))));
  return found.flat();
}

async function filesOf(entry: FileSystemEntry): Promise<readonly NamedFile[]> {
  const name = entry.fullPath.replace(/^\//u, "");
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ name, file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: NamedFile[] = [];
  // A folder gives its entries in parts, the last of which is empty.
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return found;
    for (const own of part) found.push(...(await filesOf(own)));
  }
}
