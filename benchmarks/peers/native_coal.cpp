// Coal from C++: a loop over prepared ellipsoid pairs, called from native_coal.py.
//
// GJKSolver::shapeDistance on one reused solver is what coal::distance calls in the end; it is the
// fastest public way to ask.
#include <coal/collision_data.h>
#include <coal/narrowphase/narrowphase.h>
#include <coal/shape/geometric_shapes.h>

#include <vector>

namespace {

template <typename T>
using Vector = std::vector<T, Eigen::aligned_allocator<T>>;

struct Pairs {
  Vector<coal::Ellipsoid> a, b;
  Vector<coal::Transform3s> pose;
};

}  // namespace

extern "C" {

void* prepare(long count, const double* radii_a, const double* radii_b, const double* rotation,
              const double* position) {
  auto* pairs = new Pairs;
  for (long i = 0; i < count; ++i) {
    const double *ra = radii_a + 3 * i, *rb = radii_b + 3 * i, *p = position + 3 * i;
    pairs->a.emplace_back(ra[0], ra[1], ra[2]);
    pairs->b.emplace_back(rb[0], rb[1], rb[2]);
    coal::Matrix3s turn;
    for (int k = 0; k < 9; ++k) turn(k / 3, k % 3) = rotation[9 * i + k];
    pairs->pose.emplace_back(turn, coal::Vec3s(p[0], p[1], p[2]));
  }
  return pairs;
}

void distances(const void* prepared, double tolerance, double* out) {
  const auto& pairs = *static_cast<const Pairs*>(prepared);
  coal::Transform3s identity;
  identity.setIdentity();
  coal::DistanceRequest request;
  request.gjk_tolerance = request.epa_tolerance = tolerance;
  coal::GJKSolver solver(request);
  coal::Vec3s point_a, point_b, normal;
  for (size_t i = 0; i < pairs.a.size(); ++i)
    out[i] = solver.shapeDistance(pairs.a[i], identity, pairs.b[i], pairs.pose[i], true, point_a, point_b, normal);
}

void release(void* prepared) { delete static_cast<Pairs*>(prepared); }
}
