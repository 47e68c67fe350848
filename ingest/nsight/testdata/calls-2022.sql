-- Made up in the shape of an export of nsys 2022.1 (schema 2.9): no memory events, no table of CUDA devices; a table named
-- CUDA_GRAPH_EVENTS that lists nodes.
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES (1, 'cudaMalloc_v3020'), (2, 'cudaFree_v3020'), (3, 'cuMemAllocHost_v2'), (4, 'cuStreamCreate'), (5, 'cuStreamDestroy_v2'), (6, 'cudaMallocAsync_ptsz_v11020'),
  (7, 'cudaMemPoolCreate_v11020'), (8, 'cudaGraphCreate_v10000'), (9, 'cuMemCreate'), (10, 'cudaMalloc3DArray_v3020');
CREATE TABLE EXPORT_META_DATA (name TEXT NOT NULL, value TEXT);
INSERT INTO EXPORT_META_DATA VALUES ('EXPORT_PRODUCT_VERSION', '2022.1.3.3'), ('EXPORT_SCHEMA_VERSION', '2.9.1'), ('EXPORT_OUTUPT_FILE', 'report1.sqlite');
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, totalMemory INTEGER, cuDevice INTEGER);
INSERT INTO TARGET_INFO_GPU VALUES (281474976710656, 0, 'Example', 8000000, 1), (281474976710656, 1, 'Example', 8000000, 0);
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
  (5200, 5300, 0, (1<<48)+(42<<24)+43, 2, 1, 0, NULL),
  (5000, 5100, 0, (1<<48)+(42<<24)+43, 1, 2, 0, NULL),
  (5400, 5500, 0, (1<<48)+(42<<24)+44, 3, 6, 0, NULL),
  (5600, 5700, 1, (1<<48)+(42<<24)+43, 4, 3, 0, NULL),
  (5800, 5900, 1, (1<<48)+(42<<24)+43, 5, 4, 0, NULL),
  (6000, 6100, 1, (1<<48)+(42<<24)+43, 6, 5, 0, NULL),
  (6200, 6300, 0, (1<<48)+(42<<24)+43, 7, 7, 0, NULL),
  (6400, 6500, 0, (1<<48)+(42<<24)+43, 8, 8, 0, NULL),
  (6600, 6700, 1, (1<<48)+(42<<24)+43, 9, 9, 2, NULL),
  (6800, 6900, 0, NULL, 10, 10, 0, NULL);
CREATE TABLE CUDA_GRAPH_EVENTS (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, nameId INTEGER NOT NULL, graphNodeId INTEGER NOT NULL);
