export { EXPORT_FORMATS, type ExportFormat, exportArchive, exportToCollector } from './export-archive.ts';
export { type ImportOptions, importArchive } from './import-archive.ts';
export { describeExport, isExportFile, verifyExportFile } from './verify-export.ts';
