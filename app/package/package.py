"""Spack's recipe, with GPUs (+cuda) and several ranks (+mpi), for Spack 1.0 and newer.

    spack repo create REPO local && mkdir REPO/spack_repo/local/packages/cardiac
    cp app/package/package.py REPO/spack_repo/local/packages/cardiac && spack repo add REPO/spack_repo/local
    spack dev-build cardiac@main +cuda +mpi cuda_arch=90     (in the folder of the source)
"""
from spack.package import conflicts, depends_on, license, test_part, variant, version, working_dir, which
from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage


class Cardiac(CMakePackage, CudaPackage):
    """Electrical waves in the heart: a monodomain simulator for CPUs and GPUs, with the same bits on both"""

    license("BSD-3-Clause")
    version("main", branch="main")

    variant("mpi", default=True, description="several ranks: machines, or the GPUs of one")
    variant("python", default=True, description="what the program's scripts need: report, import, induce, converge")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hdf5@1.10: ~mpi")
    depends_on("libyaml")
    depends_on("zlib-api")
    depends_on("mpi", when="+mpi")
    depends_on("nccl", when="+mpi +cuda")
    depends_on("python@3.9:", type="run", when="+python")
    depends_on("py-numpy", type="run", when="+python")
    depends_on("py-h5py", type="run", when="+python")
    depends_on("py-matplotlib", type="run", when="+python")

    conflicts("%gcc@:10", msg="C17 and OpenMP as GCC 11 has them")
    conflicts("cuda_arch=none", when="+cuda", msg="name the cards, such as cuda_arch=90")

    def cmake_args(self):
        args = [self.define_from_variant("CARDIAC_MPI", "mpi"), self.define_from_variant("CARDIAC_CUDA", "cuda"),
                self.define("CARDIAC_METIS", False)]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        if self.spec.satisfies("+mpi +cuda"):
            args.append(self.define("NCCL_ROOT", self.spec["nccl"].prefix))
        return args

    @property
    def build_targets(self):
        return ["cardiac"]

    def setup_run_environment(self, env):
        env.prepend_path("PYTHONPATH", self.prefix.share.cardiac.python)

    def test_cable(self):
        """a cable, on the CPU"""
        with working_dir(self.test_suite.stage):
            program = which(self.prefix.bin.cardiac)
            with test_part(self, "test_cable_run", purpose="20 ms of a wave along a cable"):
                program("run", self.prefix.share.cardiac.configs.join("cable.yaml"), "--set", "time.end=20ms", "--output", "out", "--device", "cpu")
