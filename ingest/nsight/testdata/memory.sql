-- Made up in the shape of an export of nsys 2025.1 (schema 3.17): a server process 700 and a worker 701 that share GPU 0 of
-- a machine whose two GPUs nsys and CUDA number the other way round.
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES (1, 'cudaMalloc_v3020'), (2, 'cudaFree_v3020'), (3, 'cudaEventCreateWithFlags_v3020'), (4, 'cudaEventDestroy_v3020'),
  (5, 'cudaGraphInstantiate_v12000'), (6, 'cudaGraphExecDestroy_v10000'), (7, 'cudaLaunchKernel_v7000'), (8, 'cuEventCreate'), (9, 'cudaStreamIsCapturing_v10000'),
  (20, 'grow_cache(int)'), (21, 'main'), (22, '0x7f00deadbeef'), (23, '/opt/server/bin/server'), (24, '/usr/lib/libcudart.so.12'), (25, 'cudaMalloc'), (30, 'step 2');
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2025.1.3.140'), ('EXPORT_SCHEMA_VERSION', '3.17.2');
CREATE TABLE META_DATA_CAPTURE (name TEXT NOT NULL, value TEXT);
INSERT INTO META_DATA_CAPTURE VALUES ('COLLECT_GPU_MEMORY_USAGE', 'true'), ('CUDA_SKIP_SOME_API_CALLS', 'true'), ('PROCESS_0:ENVIRONMENT_VARIABLE', 'TOKEN="not to be shown"');
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1750000000000000000, NULL, NULL);
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, totalMemory INTEGER, cuDevice INTEGER);
INSERT INTO TARGET_INFO_GPU VALUES (281474976710656, 0, 'NVIDIA Example 1G', 1000000, NULL), (281474976710656, 1, 'NVIDIA Example 2G', 2000000, NULL), (281474976710656, 2, 'Basic Display', 0, NULL);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER NOT NULL, pid INTEGER NOT NULL);
INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1, 0, 700), (0, 1, 700), (1, 0, 701), (0, 1, 701);
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
INSERT INTO PROCESSES VALUES ((1<<48)+(700<<24), 700, '/bin/sh'), ((1<<48)+(700<<24), 700, '/opt/server/bin/server'), ((1<<48)+(701<<24), NULL, 'worker'), ((1<<48)+(9<<24), 9, 'elsewhere');
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
  (1000, 1100, 0, (1<<48)+(700<<24)+71, 1, 1, 0, 1),
  (2000, 2100, 0, (1<<48)+(700<<24)+71, 2, 3, 0, 2),
  (2010, 2090, 1, (1<<48)+(700<<24)+71, 3, 8, 0, NULL),
  (2500, 2600, 0, (1<<48)+(700<<24)+72, 4, 9, 0, NULL),
  (3000, 3100, 0, (1<<48)+(700<<24)+71, 5, 1, 2, 1),
  (3200, 3300, 0, (1<<48)+(700<<24)+71, 6, 3, 1, NULL),
  (4000, 4100, 0, (1<<48)+(700<<24)+71, 7, 5, 0, NULL),
  (5000, 5100, 1, (1<<48)+(701<<24)+81, 1, 8, 0, NULL),
  (6000, 6100, 0, (1<<48)+(700<<24)+71, 8, 4, 0, NULL),
  (7000, 7100, 0, (1<<48)+(700<<24)+71, 9, 2, 0, NULL),
  (7200, 7300, 0, (1<<48)+(700<<24)+71, 10, 6, 0, NULL);
CREATE TABLE CUDA_GRAPH_EVENTS (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, nameId INTEGER NOT NULL, graphId INTEGER, originalGraphId INTEGER, graphExecId INTEGER);
INSERT INTO CUDA_GRAPH_EVENTS VALUES (3990, 3999, 94, (1<<48)+(700<<24)+71, 0, 4, NULL, 55), (4010, 4090, 94, (1<<48)+(700<<24)+71, 0, 5, NULL, 56);
CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER NOT NULL, globalPid INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, address INTEGER NOT NULL, pc INTEGER NOT NULL, bytes INTEGER NOT NULL, memKind INTEGER NOT NULL, memoryOperationType INTEGER NOT NULL, name TEXT, correlationId INTEGER, streamId INTEGER, localMemoryPoolAddress INTEGER, localMemoryPoolReleaseThreshold INTEGER, localMemoryPoolSize INTEGER, localMemoryPoolUtilizedSize INTEGER);
INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS (start, globalPid, deviceId, contextId, address, pc, bytes, memKind, memoryOperationType, correlationId, localMemoryPoolAddress, localMemoryPoolSize, localMemoryPoolUtilizedSize) VALUES
  (1050, (1<<48)+(700<<24), 0, 1, 0x7f0000000000, 0, 4096, 2, 0, 1, NULL, NULL, NULL),
  (1060, (1<<48)+(700<<24), 0, 1, 0x7f0000100000, 0, 512, 5, 0, NULL, NULL, NULL, NULL),
  (1500, (1<<48)+(701<<24), 0, 1, 0x7f0000000000, 0, 1000, 2, 0, NULL, NULL, NULL, NULL),
  (1600, (1<<48)+(700<<24), 7, 1, 0x5500000000, 0, 64, 1, 0, NULL, NULL, NULL, NULL),
  (1700, (1<<48)+(700<<24), 1, 1, 0x7e0000000000, 0, 256, 4, 0, NULL, NULL, NULL, NULL),
  (7050, (1<<48)+(700<<24), 0, 1, 0x7f0000000000, 0, 4096, 2, 1, 9, NULL, NULL, NULL),
  (7060, (1<<48)+(700<<24), 0, 1, 0x7f0000900000, 0, 300, 2, 1, NULL, NULL, NULL, NULL),
  (8000, (1<<48)+(700<<24), 1, 1, 0x7d0000000000, 0, 128, 2, 0, NULL, 0x6600000000, 2048, 128),
  (8100, (1<<48)+(700<<24), 1, 2, 0x7d0000000000, 0, 128, 2, 1, NULL, NULL, NULL, NULL);
CREATE TABLE CUDA_GPU_MEMORY_POOL_EVENTS (start INTEGER NOT NULL, globalPid INTEGER NOT NULL, deviceId INTEGER NOT NULL, address INTEGER NOT NULL, operationType INTEGER NOT NULL, poolType INTEGER NOT NULL, correlationId INTEGER, minBytesToKeep INTEGER, localMemoryPoolReleaseThreshold INTEGER, localMemoryPoolSize INTEGER, localMemoryPoolUtilizedSize INTEGER);
INSERT INTO CUDA_GPU_MEMORY_POOL_EVENTS VALUES (7900, (1<<48)+(700<<24), 1, 0x6600000000, 1, 1, NULL, NULL, 0, 0, 0), (9000, (1<<48)+(700<<24), 1, 0x6600000000, 3, 1, NULL, 0, 0, 1024, 0);
CREATE TABLE CUDA_CALLCHAINS (id INTEGER NOT NULL, symbol INTEGER NOT NULL, module INTEGER NOT NULL, unresolved INTEGER, originalIP INTEGER, stackDepth INTEGER NOT NULL, PRIMARY KEY (id, stackDepth));
INSERT INTO CUDA_CALLCHAINS VALUES (1, 25, 24, NULL, 0x100, 0), (1, 20, 23, NULL, 0x200, 1), (1, 21, 23, NULL, 0x300, 2), (2, 22, 23, 1, 0x7f00deadbeef, 0), (2, 21, 23, NULL, 0x300, 1), (3, 21, 23, NULL, 0x300, 0);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT, globalTid INTEGER, textId INTEGER);
INSERT INTO NVTX_EVENTS VALUES (900, 1100, 59, 'Step 1', (1<<48)+(700<<24)+71, NULL), (1110, 1900, 59, NULL, (1<<48)+(700<<24)+71, 30), (7000, NULL, 60, 'step: 3', (1<<48)+(700<<24)+71, NULL),
  (0, 10000, 59, 'epoch 1', (1<<48)+(700<<24)+71, NULL), (0, 10000, 59, 'stepping stones', (1<<48)+(700<<24)+71, NULL), (1000, NULL, 34, 'step 9', (1<<48)+(700<<24)+71, NULL);
